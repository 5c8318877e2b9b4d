/** Tells whether a process has unread requests. A stopped process reads none. It reads /proc, so it works only on Linux. */
import { readdir, readFile, readlink } from 'node:fs/promises'

const listening = '0A'
/** Only open connections count. In a connection that the other side has closed, the end counts as an unread byte. */
const established = '01'

/** Whether bytes wait in a connection to a port of the process, accepted or not. */
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
