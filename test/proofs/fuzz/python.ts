/** Installs Python tools from PyPI into their own environment, in a folder that is removed. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const packages = ['schemathesis==4.32.5', 'openapi-python-client==0.29.1', 'httpx==0.28.1'] as const

/** Runs a program and returns its exit code and output. */
export async function run(command: string, argv: readonly string[], cwd: string) {
  const child = spawn(command, argv, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-400_000)
    })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, said }
}

/** Returns the folder of the programs. It needs `python3` with `venv`. */
export async function openPython(dir: string): Promise<string> {
  const bin = join(dir, 'venv', 'bin')
  for (const [command, argv] of [
    ['python3', ['-m', 'venv', join(dir, 'venv')]],
    [join(bin, 'pip'), ['install', '--quiet', '--disable-pip-version-check', ...packages]],
  ] as const) {
    const { code, said } = await run(command, argv, dir)
    if (code !== 0) throw new TypeError(`${command} ${argv.join(' ')} ended with ${code}:\n${said}`)
  }
  return bin
}
