/**
 * Reads the recorded test chain. With the recording, the second computation of all answers is also tested on
 * machines that cannot run a node.
 */
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { Recording } from './recording.ts'

export type MarketFixture = Readonly<{
  startAtMs: number
  names: Readonly<Record<string, string>>
  recording: Recording
}>

const file = new URL('../../fixtures/chain-a-market.json.gz', import.meta.url)

export const readMarketFixture = (): MarketFixture =>
  JSON.parse(gunzipSync(readFileSync(file)).toString('utf8')) as MarketFixture
