"""Processes that share a socket get connections in turns."""

from __future__ import annotations

import asyncio
import socket
from functools import partial

from foxir.service.http.server import SharingLoop, bind


def test_servers_at_one_socket_share_the_connections_that_wait() -> None:
    counts = [0, 0]

    def accepted(number: int) -> asyncio.Protocol:
        counts[number] += 1
        return asyncio.Protocol()

    async def serve(listening: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        servers = [await loop.create_server(partial(accepted, number), sock=listening.dup()) for number in range(2)]
        clients = [socket.create_connection(listening.getsockname(), timeout=10) for _ in range(6)]  # before a turn
        while sum(counts) < len(clients):
            await asyncio.sleep(0.01)
        for client in clients:
            client.close()
        for server in servers:
            server.close()
            await server.wait_closed()
        await asyncio.sleep(0.05)  # the ends of the connections arrive

    with bind("127.0.0.1", 0) as listening, asyncio.Runner(loop_factory=SharingLoop) as runner:
        runner.run(serve(listening))

    assert counts == [3, 3]
