/**
 * Informs the threads of this process that a batch of records was written to the tables. With this signal, a
 * reader need not look for new data at short intervals. Readers in other processes do not get this signal.
 */
import { BroadcastChannel } from 'node:worker_threads'

/** A batch of a stage's records that was written to the tables. */
export type WrittenBatch = Readonly<{ stage: string }>

const openChannel = () => new BroadcastChannel('launch-data:batches')

export function createBatchSignal(): Readonly<{ announce(batch: WrittenBatch): void; close(): void }> {
  const channel = openChannel()
  channel.unref()
  return { announce: (batch) => channel.postMessage(batch), close: () => channel.close() }
}

/** Calls the listener for each batch until the returned function is called. Does not keep the process alive. */
export function onBatchWritten(listener: (batch: WrittenBatch) => void): () => void {
  const channel = openChannel()
  channel.onmessage = (message: unknown) => listener((message as { data: WrittenBatch }).data)
  channel.unref()
  return () => channel.close()
}
