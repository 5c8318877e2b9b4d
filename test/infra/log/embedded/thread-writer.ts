/** A worker thread that opens the log in `dataDir` and runs one command per message. */
import { parentPort, workerData } from 'node:worker_threads'
import { createEmbeddedLog } from '../../../../infra/log/embedded/embedded-log.ts'
import { fact } from '../../../contracts/log-contract.ts'

type Order = Readonly<{ partition: number; texts: readonly string[]; appendCount: number }> | 'close'

const log = await createEmbeddedLog({ dataDir: workerData.dataDir, nowMs: () => workerData.nowMs })
const writer = await log.openWriter(workerData.writerId)

parentPort?.on('message', async (order: Order) => {
  if (order === 'close') {
    await log.close()
    parentPort?.close()
    return
  }
  const { partition, texts, appendCount } = order
  for (let count = 0; count < appendCount; count++) await writer.append(texts.map((text) => fact(partition, text)))
  parentPort?.postMessage({ appendedAtMs: performance.timeOrigin + performance.now() })
})
parentPort?.postMessage('ready')
