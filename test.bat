@echo off
rem Checks style, types and documents and runs the tests: all of them, or pytest with the arguments given, or all fuzzers
rem and long tests, bounded in time (test --nightly).
setlocal
call "%~dp0.ci\environment.bat" requirements-dev.lock || exit /b 1
cd /d "%~dp0"
set python=.venv\Scripts\python.exe
if "%~1"=="--nightly" (
    rem shift leaves %%* as it was: the arguments behind --nightly are gathered one by one.
    goto nightly
)
if not "%~1"=="" (
    %python% -m pytest %*
    exit /b
)
set failed=0
%python% -m ruff check . || set failed=1
%python% -m ruff format --check . || set failed=1
%python% .ci\check_types.py || set failed=1
%python% .ci\package_links.py && %python% -m mkdocs build --quiet --strict || set failed=1
for %%v in (configs\vehicles\*.yaml) do %python% -m driving_sandbox.physics.compile %%v plane >nul || set failed=1
%python% -m pytest -q -n 2 -m "not drawn and not serial and not nightly" || set failed=1
%python% -m pytest -q -n 2 --dist loadfile --no-loadscope-reorder -m "drawn and not nightly" || set failed=1
%python% -m pytest -q -m "serial and not nightly" || set failed=1
exit /b %failed%

:nightly
set arguments=
:next
shift
if not "%~1"=="" (
    set arguments=%arguments% %1
    goto next
)
%python% -m pytest -q -m nightly --fuzz-seconds 300 --night-hours 8 -o faulthandler_timeout=7200 -o faulthandler_exit_on_timeout=true %arguments%
exit /b
