/**
 * A load balancer of connections: each new connection is assigned to the next server.
 * - A server that refuses the connection is skipped. A connection ends with its server; the client's next connection gets another server.
 */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

type Spread = {
  readonly url: string
  readonly close: () => Promise<void>
}

/** `ports` is asked for each connection: the ports of the servers that may be asked now. */
export async function spreadOver(ports: () => readonly number[]): Promise<Spread> {
  const sockets = new Set<Socket>()
  const keep = (socket: Socket): Socket => {
    sockets.add(socket)
    return socket.once('close', () => sockets.delete(socket)).on('error', () => socket.destroy())
  }
  let turn = 0
  const join = (client: Socket, [port, ...others]: readonly number[]): void => {
    if (port === undefined || client.destroyed) return void client.destroy()
    const server = keep(connect(port, '127.0.0.1'))
    server.setNoDelay(true)
    let reached = false
    server.once('connect', () => {
      reached = true
      client.pipe(server)
      server.pipe(client)
    })
    server.once('close', () => (reached ? client.destroy() : join(client, others)))
    client.once('close', () => server.destroy())
  }
  const balancer = createServer((client) => {
    keep(client).setNoDelay(true)
    const all = ports()
    turn++
    join(
      client,
      all.map((_, place) => all[(place + turn) % all.length] as number),
    )
  })
  await new Promise<void>((resolve) => balancer.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(balancer.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        balancer.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
