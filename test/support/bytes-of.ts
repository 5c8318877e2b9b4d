/** Measures the memory of values in a fresh process: in a test process with a large heap, each collection takes seconds. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** Functions that each make a value, by their names. */
export type Makers = Readonly<Record<string, () => unknown>>

const printBytes = fileURLToPath(new URL('./print-bytes.ts', import.meta.url))
const options = ['--expose-gc', '--compact-on-every-full-gc', '--single-threaded-gc', '--import', 'tsx']

/**
 * Returns how many bytes of the heap a value of each maker takes, which the module at `url` exports as `makers`. What the
 * values share is not counted.
 */
export async function bytesOf<Name extends string>(url: URL): Promise<Readonly<Record<Name, number>>> {
  const { stdout } = await promisify(execFile)(process.execPath, [...options, printBytes, url.href])
  return JSON.parse(stdout)
}
