/**
 * Appends rounds of records to three partitions of two topics, until it is killed. Prints each acknowledged
 * round.
 */
import { createEmbeddedLog } from '../../../../infra/log/embedded/embedded-log.ts'
import { roundRecords } from './crash-round.ts'

const [dataDir = '', firstRound = '0', dayStep = '0'] = process.argv.slice(2)
let round = Number(firstRound)
// The clock advances every 20 rounds. So some appends are cut off while the environment of a new day is
// created.
const log = await createEmbeddedLog({ dataDir, nowMs: () => Math.floor(round / 20) * Number(dayStep) })
const writer = await log.openWriter('crash-writer')
for (;;) {
  await writer.append(roundRecords(round))
  process.stdout.write(`${round}\n`)
  round++
}
