/** A copy of a checkout whose simulated market leaves its branch as often as the environment says; else it is as it was. */
import { cp, readFile, realpath, symlink, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'

/** What the copies are told: one reorg in each so many seconds of the chain, of at most so many blocks. */
export type Reorgs = Readonly<{ seed: number; everySec: number; depthMax: number }>

const simulatorPath = /(^|\/)simulator\.ts$/
const creation = /(export function createSimulator\(options: \w+\): \w+ \{\n)/
/** Nobody takes back a post by a reorg. */
const chatsFolder = join('ingest', 'chats')
/** `up` never asks for reorgs, and only tests do. The option has had both names, and chain B counts slots of 0.4 s. */
const asEnvironmentSays = `  const simulatedReorgs = JSON.parse(process.env.SIMULATED_REORGS ?? 'null')
  if (simulatedReorgs !== null) {
    const inSlots = { everySlots: Math.ceil(simulatedReorgs.everySec * 2.5) }
    Object.assign(options, { reverts: simulatedReorgs, reorgs: { ...inSlots, ...simulatedReorgs } })
  }
`
const leftOut = new Set(['node_modules', '.git', 'data', 'test'])

/** Fails where the checkout makes its market in another way than this knows. */
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
