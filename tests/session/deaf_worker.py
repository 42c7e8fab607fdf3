"""A worker that swallows the SystemExit that physics/base/worker.py raises on SIGTERM.

Python itself drops such an exception within callbacks of compiled code.
"""

from time import sleep

if __name__ == "__main__":
    while True:
        try:
            print("working", flush=True)
            sleep(0.1)
        except SystemExit:
            pass
