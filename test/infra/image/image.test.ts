import { existsSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { type ValidationSeverity, validate } from 'dockerfile-utils'
import { readConfig } from '../../../infra/config.ts'
import packageFile from '../../../package.json' with { type: 'json' }
import { dockerfileText, image, isSent } from './image.ts'

/** Docker was not available, so these tests hold what can be held without it. */
describe('the image', () => {
  it('is built from a file in which the linter finds no fault', () => {
    const error = 2 as ValidationSeverity
    const faultsOf = (text: string) =>
      validate(text, {
        ...{ deprecatedMaintainer: error, directiveCasing: error, emptyContinuationLine: error },
        ...{ instructionCasing: error, instructionCmdMultiple: error, instructionEntrypointMultiple: error },
        ...{ instructionHealthcheckMultiple: error, instructionJSONInSingleQuotes: error },
        instructionWorkdirRelative: error,
      }).map(({ message }) => message)
    expect(faultsOf(dockerfileText)).to.deep.equal([])
    expect(faultsOf(dockerfileText.replace('WORKDIR /service', 'WORKDIR service'))).to.have.length(1)
    expect(faultsOf(`${dockerfileText}CMD ["doctor"]\n`)).to.have.length.above(0)
  })

  it('has the exact version of Node with which the tests run', () => {
    const [tag = '', ...others] = new Set(image.bases)
    expect(others).to.deep.equal([])
    const [, version = '', major, minor] = /^node:((\d+)\.(\d+)\.\d+)-slim$/.exec(tag) ?? []
    expect(readFileSync('test/nodes.ts', 'utf8')).to.contain(`'${version}'`)
    const [, leastMajor, leastMinor] = /^>=(\d+)\.(\d+)$/.exec(packageFile.engines.node) ?? []
    const isEnough = Number(major) > Number(leastMajor) || (major === leastMajor && Number(minor) >= Number(leastMinor))
    expect(isEnough, `${version} is ${packageFile.engines.node}`).to.equal(true)
  })

  it('copies files that exist, and that Docker sends to the build', () => {
    expect(image.sources).to.include.members(['package.json', 'package-lock.json', 'infra/no-sqlite', 'api', 'infra'])
    expect(image.sources.filter((path) => !existsSync(path) || !isSent(path))).to.deep.equal([])
    for (const path of ['.git/config', 'data/secrets/operator', 'node_modules/koa', 'test/all.ts', 'infra/docs/a.md'])
      expect(isSent(path), path).to.equal(false)
  })

  it('has a configuration with which others reach the API, and only the container reaches the metrics', () => {
    const config = readConfig(image.environment)
    expect(config.HOST).to.equal('0.0.0.0')
    expect(image.ports).to.deep.equal([String(config.PORT)])
    expect(config.METRICS_PORT).to.be.above(0)
    expect(image.ports).to.not.contain(String(config.METRICS_PORT))
    expect(image.volumes).to.deep.equal([config.DATA_DIR])
  })

  it('runs the service as a user without rights, and without npm or a shell as the first process', () => {
    expect(image.users).to.deep.equal(['node'])
    expect(image.entry).to.deep.equal(['node', packageFile.bin['launch-data']])
    expect(image.arguments).to.deep.equal(['up'])
    expect(image.stopSignals).to.deep.equal(['SIGTERM'])
  })
})
