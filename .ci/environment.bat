@echo off
rem Called by drive.bat and test.bat with lock files: makes a virtual environment in .venv and installs their packages.
cd /d "%~dp0.."
rem This file remains if a start was interrupted while installing; then the environment is made again.
if exist .venv.installing rmdir /s /q .venv
echo installing>.venv.installing
if not exist .venv\Scripts\python.exe (
    echo Making the virtual environment .venv
    py -3.13 -m venv .venv 2>nul || py -3.12 -m venv .venv 2>nul || py -3.11 -m venv .venv 2>nul || python -m venv .venv || (
        echo Python 3.11, 3.12 or 3.13 is needed and was not found.
        exit /b 1
    )
)
.venv\Scripts\python.exe -c "import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))" || (
    echo Python 3.11, 3.12 or 3.13 is needed; .venv was made with another one. Delete it and try again.
    exit /b 1
)
:next
if "%~1"=="" (
    del .venv.installing
    exit /b 0
)
fc /b "%~1" ".venv\installed-%~1" >nul 2>&1 || (
    echo Installing Python packages from %~1
    .venv\Scripts\python.exe -m pip install --quiet --disable-pip-version-check --require-hashes -r "%~1" || (
        del .venv.installing
        exit /b 1
    )
    copy /y "%~1" ".venv\installed-%~1" >nul
)
shift
goto next
