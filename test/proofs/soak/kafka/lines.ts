/**
 * The compared part of a derived record. Each registry numbers its schemas itself, so the schema id is left out.
 */
import type { Log } from '../../../../infra/log/log.ts'
import type { Stage } from '../../../../schemas/stage.ts'
import { readAll } from '../../../replay/stage-log.ts'

/** A zero byte and the schema id. */
const headBytes = 5

export const lineOf = (key: unknown, value: Buffer | null): string => `${key} ${value?.toString('hex', headBytes)}`

export async function derivedLines(log: Log, { derivedTopic }: Stage, partition: number): Promise<string[]> {
  const stored = await readAll(log, derivedTopic.name, partition)
  return stored.map(({ key, value }) => lineOf(key, value))
}
