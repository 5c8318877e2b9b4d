import { expect } from 'chai'
import { auditOf, readLock, readManifest } from './dependencies.ts'

describe('the packages that the service runs with', () => {
  it('are pinned, have an integrity, come from the registry, and run nothing unknown when they are installed', () => {
    const audit = auditOf(readLock(), readManifest())
    expect(audit.faults).to.deep.equal([])
    expect(audit.packages).to.be.greaterThan(100)
  })

  it('include no client of a cloud', () => {
    const ofClouds = Object.entries(readLock().packages).filter(
      ([path, { link, dev }]) => /\/@(aws-sdk|azure|google-cloud)\//.test(path) && !link && !dev,
    )
    expect(ofClouds.map(([path]) => path)).to.deep.equal([])
  })

  const manifest = { dependencies: {}, optionalDependencies: {}, devDependencies: {} }
  const sound = { version: '1.0.0', integrity: 'sha512-x', license: 'MIT' }
  const faultsOf = (locked: object) =>
    auditOf({ packages: { 'node_modules/some': { ...sound, ...locked } } }, manifest).faults

  for (const [what, locked] of [
    ['no integrity of SHA-512', { integrity: 'sha1-x' }],
    ['no integrity of SHA-512', { integrity: undefined }],
    ['comes from git', { resolved: 'git+ssh://host/some.git' }],
    ['comes from git, over plain HTTP', { resolved: 'http://host/some.tgz' }],
    ['is deprecated: use another', { deprecated: 'use another' }],
    ['runs a script', { hasInstallScript: true }],
    ['no exact version', { version: '^1.0.0' }],
  ] as const)
    it(`are faulty where one has ${what}: ${JSON.stringify(locked)}`, () => {
      expect(faultsOf(locked).join()).to.include(what)
    })

  it('are faulty where one is asked for by a range, and those of the tests are not looked at', () => {
    const asked = { ...manifest, devDependencies: { some: '^1.0.0' } }
    expect(auditOf({ packages: {} }, asked).faults.join()).to.include('no exact version')
    expect(faultsOf({ dev: true, deprecated: 'yes' })).to.deep.equal([])
  })
})
