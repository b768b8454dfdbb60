"""``python -m walissh`` is ``walissh``."""

from walissh.cli import main

if __name__ == "__main__":
    main()
