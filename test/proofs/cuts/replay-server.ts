/** A replay server over the log of the service. Its clock stops at each cut. */
import { startProgram } from '../../support/programs.ts'
import type { Tell } from '../same/now.ts'
import { environment } from '../same/recording.ts'
import { type Sold, soldOtherwise } from './sold.ts'

/**
 * Returns the sold answers that differ from the answers of the replay server. The server is asked without
 * `asOf`, with its clock at the cut of each answer.
 */
export async function otherwiseFromReplayServer(sold: readonly Sold[], dataDir: string): Promise<readonly Sold[]> {
  const inOrder = [...sold].sort((left, right) => left.cutAtMs - right.cutAtMs)
  const [fromMs, toMs] = [(inOrder[0]?.cutAtMs ?? 0) - 1, (inOrder.at(-1)?.cutAtMs ?? 0) + 1]
  // The speed is so low that the server's clock does not move between two requests.
  const server = startProgram(`replay --from ${fromMs} --to ${toMs} --serve --speed 0.000001`, {
    ...environment,
    DATA_DIR: dataDir,
  })
  try {
    await server.until(/curl -X POST/)
    const url = /on (http:[^\s,]+)/.exec(server.stdout())?.[1] ?? ''
    await fetch(`${url}/replay/pause`, { method: 'POST' })
    const tell: Tell = async (path, cutAtMs) => {
      const { atMs } = (await (await fetch(`${url}/replay`)).json()) as Readonly<{ atMs: number }>
      if (atMs < cutAtMs) await fetch(`${url}/replay/step?ms=${cutAtMs - atMs}`, { method: 'POST' })
      return Buffer.from(await (await fetch(url + path)).text())
    }
    return await soldOtherwise(tell, inOrder)
  } finally {
    await server.stop()
  }
}
