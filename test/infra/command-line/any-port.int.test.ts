import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { type RunningProgram, startProgram } from '../../support/programs.ts'

describe('the service on port 0', () => {
  let dataDir: string
  let program: RunningProgram | undefined

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'launch-data-any-port-'))
  })
  after(async () => {
    await program?.stop()
    await rm(dataDir, { recursive: true, force: true })
  })

  it('takes a free one, and names it wherever it names itself', async () => {
    program = startProgram('up', {
      ...{ PORT: '0', DATA_DIR: dataDir, LOG_LEVEL: 'warn', SIMULATOR_LOOK_BACK_HOURS: '1' },
    })
    await program.until(/^Try: /m)
    const said = program.stdout()
    const [, url = ''] = /Launch Data Service on (\S+)/.exec(said) ?? []
    expect(url).to.match(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/)
    expect(said).to.contain(`npm run pay -- --url ${url} "/v1/`)
    const refusal = (await (await fetch(`${url}/v1/nothing`)).json()) as { docs: string }
    expect(refusal.docs).to.equal(`${url}/docs/errors/no_such_route`)
  })
})
