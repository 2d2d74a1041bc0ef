"""Tells a port of this machine that it is here, by TCP and by UDP: beacon.py WORD PORT"""
import socket
import sys

port = int(sys.argv[2])
try:
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(sys.argv[1].encode(), ("127.0.0.1", port))
    socket.create_connection(("127.0.0.1", port), 5).sendall(sys.argv[1].encode())
    print("was heard", file=sys.stderr)
except OSError as error:
    print("was not heard:", error, file=sys.stderr)
