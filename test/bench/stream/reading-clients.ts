/** Clients of a stream that run in another process. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Streams, StreamsResult } from './stream-clients.ts'

export type ReadingClients = Readonly<{
  /** Starts the count. */
  begin(): void
  /** The result so far. */
  result(): Promise<StreamsResult>
  /** Closes the connections, and returns the result. */
  close(): Promise<StreamsResult>
  kill(): void
}>

/** Resolves as soon as every connection has received its first event. */
export async function startReadingClients(streams: Streams): Promise<ReadingClients> {
  const child = fork(new URL('./stream-clients.js', import.meta.url), { serialization: 'advanced', execArgv: [] })
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  const ended = once(child, 'exit').then(([code]) => {
    throw new RangeError(`the clients ended with code ${code}`)
  })
  ended.catch(() => {})
  const ask = async (word: string) => {
    child.send(word)
    return ((await Promise.race([once(child, 'message'), ended])) as [StreamsResult])[0]
  }
  child.send(streams)
  await Promise.race([once(child, 'message'), ended])
  return {
    begin: () => void child.send('begin'),
    result: () => ask('result'),
    close: () => ask('close'),
    kill,
  }
}

/** `values` are sorted. */
export const quantile = (values: Float64Array, share: number): number =>
  values[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN
