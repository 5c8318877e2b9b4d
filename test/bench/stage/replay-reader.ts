/** Replays a range of a topic as a backtest does, and ignores the records. */
import { replay } from '../../../infra/replay/replay.ts'

const [from, to, topic] = process.argv.slice(2)
let records = 0
for await (const _ of replay({ from: Number(from), to: Number(to), topics: [topic as 'chain-a-facts'] })) records++
if (records === 0) throw new RangeError('the log holds nothing of the range')
