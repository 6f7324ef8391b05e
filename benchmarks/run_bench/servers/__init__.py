"""The same server, once for every framework. Each module has `over_http` and `over_stdio`.

An app is named for what it offers: `bench`, the tools and the prompt; `stream`, the same with
answers that may be streams; `session`, the same with sessions; `list-N`, N tools, and nothing
else; `page-N`, the same in pages of 50; `notes`, a resource to listen to.
"""
