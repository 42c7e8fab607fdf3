@echo off
rem Starts the program; the first time it makes everything the program needs. Arguments go to main.py: drive --help
setlocal
call "%~dp0.ci\environment.bat" requirements.lock || exit /b 1
"%~dp0.venv\Scripts\python.exe" "%~dp0main.py" %*
exit /b %errorlevel%
