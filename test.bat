@echo off
rem Checks the style and runs the tests: all of them, or pytest with the arguments given, or all fuzzers and long tests,
rem bounded in time (test --nightly).
setlocal
call "%~dp0.ci\environment.bat" requirements-dev.lock || exit /b 1
cd /d "%~dp0"
set python=.venv\Scripts\python.exe
if "%~1"=="--nightly" (
    %python% -m pytest -q -m nightly --fuzz-seconds 300 --night-hours 8 -o faulthandler_timeout=3600 -o faulthandler_exit_on_timeout=true
    exit /b
)
if not "%~1"=="" (
    %python% -m pytest %*
    exit /b
)
set failed=0
%python% -m ruff check . || set failed=1
%python% .ci\check_types.py || set failed=1
for %%v in (configs\vehicles\*.yaml) do %python% -m driving_sandbox.physics.compile %%v plane >nul || set failed=1
%python% -m pytest -q -n 2 -m "not drawn and not serial and not nightly" || set failed=1
%python% -m pytest -q -n 2 --dist loadfile --no-loadscope-reorder -m "drawn and not nightly" || set failed=1
%python% -m pytest -q -m "serial and not nightly" || set failed=1
exit /b %failed%
