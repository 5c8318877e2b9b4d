/**
 * Tells whether a process has unread requests. A stopped process reads no requests. The check reads /proc, so
 * it works only on Linux.
 */
import { readdir, readFile, readlink } from 'node:fs/promises'

const listening = '0A'
/**
 * The state of an open connection. Other states do not count, because a closed connection shows its end as an
 * unread byte.
 */
const established = '01'

/**
 * Returns whether unread bytes wait in a connection to a port of the process. The process need not have
 * accepted the connection.
 */
export async function hasUnreadRequests(pid: number): Promise<boolean> {
  const folder = `/proc/${pid}/fd`
  const links = await Promise.all((await readdir(folder)).map((fd) => readlink(`${folder}/${fd}`).catch(() => '')))
  const lines = (await readFile(`/proc/${pid}/net/tcp`, 'utf8')).trim().split('\n').slice(1)
  const sockets = lines.map((line) => {
    const [, local = '', , state, queues = '', , , , , inode] = line.trim().split(/\s+/)
    return { local, state, unreadBytes: Number.parseInt(queues.split(':')[1] ?? '', 16), inode }
  })
  const isOwn = ({ inode }: Readonly<{ inode: string | undefined }>) => links.includes(`socket:[${inode}]`)
  const own = new Set(sockets.filter((one) => one.state === listening && isOwn(one)).map(({ local }) => local))
  return sockets.some(({ local, state, unreadBytes }) => state === established && own.has(local) && unreadBytes > 0)
}
