/** Finds the Python of this machine, and runs programs of the documents in it. */
import { execFileSync } from 'node:child_process'

/** The packages of `requirements.txt`, by the names with which programs import them. */
const usual = ['duckdb', 'polars', 'pyarrow']

const path = process.env.PYTHON_PATH || 'python3'

/** The name of a test that is pending, because there is no Python with these packages. */
export const noPython = (modules: readonly string[] = usual): string =>
  `is tried where PYTHON_PATH or python3 has ${modules.join(', ')}: here it does not`

export function hasPython(modules: readonly string[] = usual): boolean {
  try {
    return runPython(`import ${modules.join(', ')}\nprint("yes")`) === 'yes\n'
  } catch {
    return false
  }
}

/** Returns what the program prints. Throws with its errors if it fails. */
export const runPython = (code: string, ...args: readonly string[]): string =>
  execFileSync(path, ['-c', code, ...args], { encoding: 'utf8', stdio: 'pipe' })
