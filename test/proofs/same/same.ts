/**
 * `npm run same -- record <checkout> <folder>` records what a commit publishes, projects and sells. `npm run same -- compare <folder>`
 * compares the recording with what this code makes of the same log. With `--sabotage`, a byte is changed in each part first, and every
 * comparison must notice.
 */
import { parseArgs } from 'node:util'
import { compare } from './compare.ts'
import { record } from './record.ts'
import { everywhere } from './sabotage.ts'
import { describeVerdicts } from './verdict.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sabotage: { type: 'boolean', default: false },
    answers: { type: 'string', default: '300' },
    seconds: { type: 'string', default: '240' },
  },
})
const [command, ...places] = positionals
/** The names of the comparisons that a changed byte must affect. */
const touched = /^(derived records|table|answers)\b/
const print = (text: string) => void process.stdout.write(`${text}\n`)

if (command === 'record' && places.length === 2) {
  const [checkout = '', folder = ''] = places
  await record({ checkout, folder, answerCount: Number(values.answers), liveMs: Number(values.seconds) * 1000, print })
} else if (command === 'compare' && places.length === 1) {
  const [folder = ''] = places
  if (values.sabotage) await proveFindings(folder)
  else {
    const verdicts = await compare({ folder, print })
    print(describeVerdicts(verdicts))
    process.exitCode = verdicts.every(({ difference }) => difference === null) ? 0 : 1
  }
} else {
  print(
    'usage: npm run same -- record <checkout> <folder> [--answers 300] [--seconds 240] | compare <folder> [--sabotage]',
  )
  process.exitCode = 2
}

async function proveFindings(folder: string): Promise<void> {
  const verdicts = await compare({ folder, sabotage: everywhere, print })
  const missed = verdicts.filter(({ what, difference }) => (difference !== null) !== touched.test(what))
  print(describeVerdicts(verdicts))
  print(
    missed.length === 0
      ? 'every changed byte was found'
      : `wrongly judged: ${missed.map(({ what }) => what).join(', ')}`,
  )
  process.exitCode = missed.length === 0 ? 0 : 1
}
