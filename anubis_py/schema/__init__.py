"""What arguments and outputs look like: declared once, advertised and checked alike."""
