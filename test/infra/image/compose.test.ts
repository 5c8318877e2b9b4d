import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { readConfig } from '../../../infra/config.ts'
import { type ComposeService, compose } from './compose.ts'
import { image } from './image.ts'

const services = Object.entries(compose.services)
const namesOf = (isWrong: (service: ComposeService) => boolean): readonly string[] =>
  services.filter(([, service]) => isWrong(service)).map(([name]) => name)

describe('the compose file', () => {
  it('has the service, and the servers that it can use', () => {
    expect(Object.keys(compose.services)).to.have.members(['launch-data', 'kafka', 'registry', 'clickhouse'])
  })

  it('pins each image to one version, and builds the others from a Dockerfile that exists', () => {
    const isPinned = ({ image: name = '', build }: ComposeService) =>
      build === undefined ? /^[^:]+:\d+\.\d+\.\d+[.\w]*$/.test(name) : existsSync(join('infra', build, 'Dockerfile'))
    expect(namesOf((service) => !isPinned(service))).to.deep.equal([])
  })

  it('checks the health of each server. The image of the service has its own check', () => {
    const isChecked = ({ build, healthcheck }: ComposeService) =>
      build !== undefined || (healthcheck?.test[0] === 'CMD' && healthcheck.test.length > 1 && healthcheck.retries > 1)
    expect(namesOf((service) => !isChecked(service))).to.deep.equal([])
    expect(image.healthCheck).to.have.length.above(1)
  })

  it('starts nothing before the servers that it needs are healthy', () => {
    const needed = services.flatMap(([, { depends_on: needs = {} }]) => Object.entries(needs))
    expect(
      needed.filter(([name, { condition }]) => !(name in compose.services) || condition !== 'service_healthy'),
    ).to.deep.equal([])
    expect(Object.keys(compose.services['launch-data']?.depends_on ?? {})).to.have.members([
      'kafka',
      'registry',
      'clickhouse',
    ])
  })

  it('is reachable from this machine only', () => {
    const isOpen = ({ ports = [] }: ComposeService) => ports.some((port) => !/^127\.0\.0\.1:\d+:\d+$/.test(port))
    expect(namesOf(isOpen)).to.deep.equal([])
  })

  it('gives the service a right configuration, which names the other services', () => {
    const service = compose.services['launch-data']
    const config = readConfig({ ...image.environment, ...service?.environment })
    const hosts = [
      ...(config.KAFKA_BROKERS ?? []).map((broker) => broker.split(':')[0]),
      new URL(config.SCHEMA_REGISTRY_URL ?? '').hostname,
      new URL(config.CLICKHOUSE_URL ?? '').hostname,
    ]
    expect(hosts).to.deep.equal(['kafka', 'registry', 'clickhouse'])
    const { CLICKHOUSE_USER, CLICKHOUSE_PASSWORD } = compose.services.clickhouse?.environment ?? {}
    const { username, password } = new URL(config.CLICKHOUSE_URL ?? '')
    expect([username, password]).to.deep.equal([CLICKHOUSE_USER, CLICKHOUSE_PASSWORD])
    const [, hostPort] = service?.ports?.[0]?.split(':') ?? []
    expect(config.PUBLIC_BASE_URL).to.equal(`http://localhost:${hostPort}`)
    expect(service?.ports?.[0]?.split(':')[2]).to.equal(image.ports[0])
  })

  it('keeps the data in volumes, and gives the service 30 seconds to end', () => {
    const used = services.flatMap(([, { volumes = [] }]) => volumes.map((volume) => volume.split(':')[0] ?? ''))
    expect(used).to.have.members(Object.keys(compose.volumes))
    const service = compose.services['launch-data']
    expect(service?.volumes).to.deep.equal([`launch-data:${image.volumes[0]}`])
    expect(service?.stop_grace_period).to.equal('30s')
  })
})
