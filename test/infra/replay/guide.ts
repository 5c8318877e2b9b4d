/** Reads and runs the programs of the guide `infra/docs/backtest.md`. */

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { startNode } from '../../support/programs.ts'

/** The program of the guide in this language that contains the text. */
export async function programOf(language: 'ts' | 'python', text = ''): Promise<string> {
  const document = await readFile('infra/docs/backtest.md', 'utf8')
  const programs = [...document.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))]
  const found = programs.map(([, code = '']) => code).filter((code) => code.includes(text))
  expect(found, `programs with "${text}"`).to.have.lengthOf(1)
  return found[0] as string
}

/** Runs the backtest in TypeScript over a range of the log of `dataDir`. Returns what it prints. */
export async function runBacktest(dataDir: string, from: string, to: string): Promise<string> {
  // The folder is in the checkout, so that the package can be imported by its name.
  const folder = await mkdtemp('test/infra/replay/backtest-')
  try {
    await writeFile(join(folder, 'backtest.ts'), await programOf('ts'))
    const options = ['--import', 'tsx', join(folder, 'backtest.ts'), from, to]
    const program = startNode('backtest', options, { DATA_DIR: dataDir })
    expect((await program.done).code, program.stderr()).to.equal(0)
    return program.stdout()
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
