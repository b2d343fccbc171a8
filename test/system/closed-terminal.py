"""Runs a command in a terminal, closes the terminal once the command has printed a text, and exits with its exit code.

Arguments: the text, then the command.
"""
import os
import pty
import sys

text = sys.argv[1].encode()
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[2], sys.argv[2:])
printed = b""
while text not in printed:
    printed += os.read(terminal, 4096)
os.close(terminal)
sys.exit(abs(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])))
