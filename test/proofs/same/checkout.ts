/**
 * Copies a checkout of the code. In the copy, the simulated chains get the reorgs that an environment
 * variable asks for. Nothing else changes.
 */
import { cp, readFile, realpath, symlink, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'

/** One reorg in each `everySec` of the chain, at most `depthMax` blocks deep. */
export type Reorgs = Readonly<{ seed: number; everySec: number; depthMax: number }>

const simulatorPath = /(^|\/)simulator\.ts$/
const creation = /(export function createSimulator\(options: \w+\): \w+ \{\n)/
/** Chats have no reorgs. */
const chatsFolder = join('ingest', 'chats')
/**
 * The code that the copy adds to each simulator, because `up` has no option for reorgs. Older checkouts call
 * the simulator's option `reverts`. Chain B counts in slots of 0.4 s.
 */
const asEnvironmentSays = `  const simulatedReorgs = JSON.parse(process.env.SIMULATED_REORGS ?? 'null')
  if (simulatedReorgs !== null) {
    const inSlots = { everySlots: Math.ceil(simulatedReorgs.everySec * 2.5) }
    Object.assign(options, { reverts: simulatedReorgs, reorgs: { ...inSlots, ...simulatedReorgs } })
  }
`
const leftOut = new Set(['node_modules', '.git', 'data', 'test'])

/** Fails if the checkout creates its simulated chains in an unknown way. */
export async function copyCheckout(checkout: string, folder: string): Promise<void> {
  const simulators: string[] = []
  await cp(checkout, folder, {
    recursive: true,
    filter: (source, target) => {
      if (simulatorPath.test(source)) simulators.push(target)
      return source === checkout || !leftOut.has(basename(source))
    },
  })
  await symlink(await realpath(join(checkout, 'node_modules')), join(folder, 'node_modules'))
  const markets = simulators.filter((file) => !file.includes(chatsFolder))
  if (markets.length === 0) throw new TypeError(`no simulated market is made in ${checkout}`)
  for (const file of markets) {
    const text = await readFile(file, 'utf8')
    if (!creation.test(text)) throw new TypeError(`${file} makes its market in another way`)
    await writeFile(file, text.replace(creation, `$1${asEnvironmentSays}`))
  }
}
