"""How a server is started: the event loop, the port, the signals and the processes."""

from .http import serve_http as serve_http
from .launch import run as run
from .listener import StartError as StartError
from .settings import RunSettings as RunSettings
from .settings import ServingSettings as ServingSettings
from .target import Target as Target
