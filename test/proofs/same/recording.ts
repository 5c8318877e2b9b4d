/** The files of a recording: the data directory, and a file with one answer per line. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

export type RecordedAnswer = Readonly<{
  path: string
  cutAtMs: number
  /** The text as it was sent. */
  body: string
}>

/**
 * Each service that opens the data directory needs these variables. Otherwise its simulated data differ from
 * the recorded data.
 */
export const environment = { SIMULATOR_SEED: '20260', SIMULATOR_LOOK_BACK_HOURS: '24', VIEW_REFRESH_MS: '200' } as const

export const placesIn = (folder: string) => ({
  dataDir: join(folder, 'data'),
  answersFile: join(folder, 'answers.jsonl'),
})

export async function readAnswers(folder: string): Promise<readonly RecordedAnswer[]> {
  const text = await readFile(placesIn(folder).answersFile, 'utf8')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as RecordedAnswer)
}

/** An address of either chain. */
const address = /0x[0-9a-fA-F]+|[1-9A-HJ-NP-Za-km-z]{32,44}/

/** Returns the path without query parameters. Addresses are replaced by `{}`. */
export const routeOf = (path: string): string => path.replace(/\?.*/, '').replace(address, '{}')
