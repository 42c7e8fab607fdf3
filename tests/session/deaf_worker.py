"""A worker that loses the exception raised on SIGTERM, as Python does within callbacks of compiled code."""

from time import sleep

if __name__ == "__main__":
    while True:
        try:
            print("working", flush=True)
            sleep(0.1)
        except SystemExit:
            pass
