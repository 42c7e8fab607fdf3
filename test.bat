@echo off
rem Checks the style and runs the tests: all of them, or pytest with the arguments given.
setlocal
call "%~dp0.ci\environment.bat" requirements.txt requirements-dev.txt || exit /b 1
cd /d "%~dp0"
set python=.venv\Scripts\python.exe
if not "%~1"=="" (
    %python% -m pytest %*
    exit /b
)
set failed=0
%python% -m ruff check . || set failed=1
for %%v in (configs\vehicles\*.yaml) do %python% -m driving_sandbox.physics.compile %%v plane >nul || set failed=1
%python% -m pytest -q -n 2 -m "not drawn and not serial and not nightly" || set failed=1
%python% -m pytest -q -n 2 --dist loadfile --no-loadscope-reorder -m "drawn and not nightly" || set failed=1
%python% -m pytest -q -m "serial and not nightly" || set failed=1
exit /b %failed%
