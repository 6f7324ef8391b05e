"""What a server may ask a client for, and what comes back.

An ask is a plain value: it knows its form on the wire, what the client has to be able to do, and
how to read an answer. How it travels, and what is kept while an answer is awaited, is the
business of the engines.
"""
