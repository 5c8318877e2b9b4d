/** Tracks open connections. When there are too many, chooses the connection to close. */
import type { Socket } from 'node:net'

type Limits = Readonly<{ most: number; mostOfOne: number }>

export type OpenConnections = Readonly<{
  /**
   * Returns false if there is no room. The caller must then close the socket. Until `serving` is called, the
   * connection counts as waiting for the head of a request.
   */
  add(socket: Socket, address: string): boolean
  /**
   * Must be called when the head of a request has arrived. Until `waiting` is called, the connection is not closed to make room for another
   * one.
   */
  serving(socket: Socket): void
  /** Must be called when all answers of the connection have been sent. The connection may then be closed to make room for another one. */
  waiting(socket: Socket): void
}>

/**
 * If there are too many connections, one connection is closed. It belongs to the address with the most
 * waiting connections, and has waited the longest of them. So an address that never completes the heads of
 * its requests loses only its own connections.
 */
export function createOpenConnections({ most, mostOfOne }: Limits): OpenConnections {
  const addressOf = new Map<Socket, string>()
  const counts = new Map<string, number>()
  /** The sockets that wait for the head of a request, by address, the longest waiting first. */
  const waitingAt = new Map<string, Set<Socket>>()

  const stopWaiting = (socket: Socket, address: string) => {
    const sockets = waitingAt.get(address)
    if (sockets?.delete(socket) && sockets.size === 0) waitingAt.delete(address)
  }
  const wait = (socket: Socket, address: string) => {
    const sockets = waitingAt.get(address) ?? new Set()
    waitingAt.set(address, sockets.add(socket))
  }
  const remove = (socket: Socket) => {
    const address = addressOf.get(socket)
    if (address === undefined) return
    addressOf.delete(socket)
    stopWaiting(socket, address)
    const left = (counts.get(address) ?? 0) - 1
    if (left > 0) counts.set(address, left)
    else counts.delete(address)
  }
  const makeRoom = (): boolean => {
    let fullest: Set<Socket> | undefined
    for (const sockets of waitingAt.values()) if (sockets.size > (fullest?.size ?? 0)) fullest = sockets
    const [oldest] = fullest ?? []
    if (oldest === undefined) return false
    remove(oldest)
    oldest.destroy()
    return true
  }

  return {
    add(socket, address) {
      if ((counts.get(address) ?? 0) >= mostOfOne) return false
      if (addressOf.size >= most && !makeRoom()) return false
      addressOf.set(socket, address)
      counts.set(address, (counts.get(address) ?? 0) + 1)
      wait(socket, address)
      socket.once('close', () => remove(socket))
      return true
    },
    serving(socket) {
      const address = addressOf.get(socket)
      if (address !== undefined) stopWaiting(socket, address)
    },
    waiting(socket) {
      const address = addressOf.get(socket)
      if (address !== undefined) wait(socket, address)
    },
  }
}
