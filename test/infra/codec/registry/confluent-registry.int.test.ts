import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { prepareSchemas } from '../../../../infra/codec/prepare-schemas.ts'
import { createConfluentRegistry } from '../../../../infra/codec/registry/confluent-registry.ts'
import { createMemoryRegistry } from '../../../../infra/codec/registry/schema-table.ts'
import { subjectOf } from '../../../../infra/codec/schema-codec.ts'
import { registryUrlAt, startRegistry } from '../../../../infra/development/kafka/cluster.ts'
import { fetchJars } from '../../../../infra/development/kafka/jars.ts'
import type { JavaProcess } from '../../../../infra/development/kafka/java-process.ts'
import { isOperationError } from '../../../../infra/errors.ts'
import { freePorts } from '../../../../infra/ports.ts'
import { swap } from '../../../../schemas/chain-a/facts.ts'
import { topics } from '../../../../schemas/topics.ts'
import { describeRegistryContract } from '../../../contracts/registry-contract.ts'

describe('a registry of the cluster', () => {
  let dir: string
  let port: number
  let server: JavaProcess
  let prefixCount = 0
  const url = () => registryUrlAt(port)
  const start = async () => {
    server = await startRegistry({ jarsDir: await fetchJars('registry', () => {}), dir, port, outlivesUs: false })
  }

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'registry-'))
    port = (await freePorts(1))[0] ?? 0
    await start()
  })
  after(async () => {
    await server?.stop('SIGKILL')
    await rm(dir, { recursive: true, force: true })
  })

  it('gives our schemas the same ids as the embedded registry, whichever program is first', async () => {
    const [ours, theirs] = [createMemoryRegistry(), await createConfluentRegistry({ url: url() })]
    await prepareSchemas(ours, topics)
    await prepareSchemas(theirs, topics)
    for (const topic of ['chain-a-facts', 'chain-a-derived'] as const)
      for (const schema of Object.values(topics[topic].schemas ?? {})) {
        const subject = subjectOf(topic, schema)
        expect(await theirs.register(subject, schema), subject).to.equal(await ours.register(subject, schema))
      }
  })

  describeRegistryContract('cluster registry', () =>
    createConfluentRegistry({ url: url(), topicPrefix: `contract-${++prefixCount}-` }),
  )

  it('sets each subject to BACKWARD_TRANSITIVE, under the name that other clients expect', async () => {
    const registry = await createConfluentRegistry({ url: url(), topicPrefix: 'test.' })
    await registry.register(subjectOf('chain-a-facts', swap), swap)
    const subject = 'test.chain-a-facts-launchdata.Swap'
    const config = await (await fetch(`${url()}/config/${subject}`)).json()
    expect(config).to.include({ compatibilityLevel: 'BACKWARD_TRANSITIVE' })
  })

  it('accepts the same schemas from several programs that start at once', async () => {
    const open = () => createConfluentRegistry({ url: url(), topicPrefix: 'at-once.' })
    const programs = await Promise.all([open(), open(), open(), open()])
    await Promise.all(programs.map((program) => prepareSchemas(program, topics)))
    const subject = subjectOf('chain-a-facts', swap)
    const ids = await Promise.all(programs.map((program) => program.register(subject, swap)))
    expect(new Set(ids).size).to.equal(1)
    // Two registrations at the same instant may give two versions of a schema. Both must have the same id, because records have only the
    // id.
    const versionsUrl = `${url()}/subjects/at-once.${subject}/versions`
    const versions = (await (await fetch(versionsUrl)).json()) as number[]
    expect(versions).to.include(1)
    for (const version of versions)
      expect(await (await fetch(`${versionsUrl}/${version}`)).json(), `${version}`).to.include({ id: ids[0] })
  })

  it('is retried while it is away, for a limited time', async () => {
    const registry = await createConfluentRegistry({ url: url(), topicPrefix: 'away.', patienceMs: 60_000 })
    const hasty = await createConfluentRegistry({ url: url(), topicPrefix: 'away.', patienceMs: 300 })
    await server.stop('SIGKILL')
    const failure = await hasty.register('s', swap).catch((error: unknown) => error)
    expect(isOperationError(failure, 'registry_unreachable')).to.equal(true)
    expect((failure as Error).message).to.match(/127\.0\.0\.1:\d+.* does not answer.*SCHEMA_REGISTRY_URL/)

    const waiting = registry.register('s', swap)
    await start()
    expect(await waiting).to.equal(1)
  })
})
