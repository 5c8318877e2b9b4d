import { expect } from 'chai'
import { pino } from 'pino'
import { openOperatorPort } from '../../../infra/command-line/operator-port.ts'
import { freePorts } from '../../../infra/ports.ts'

const logger = pino({ level: 'silent' })

describe('the port for operators', () => {
  const ask = async (port: number, path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } })
    return { status: response.status, body: await response.text() }
  }

  it('warms up until the service is ready, and drains until the end, whatever comes later', async () => {
    const [port = 0] = await freePorts(1)
    const operators = await openOperatorPort({ port, program: 'serve', dataDir: '.', logger })
    expect(await ask(port, '/readyz')).to.include({ status: 503, body: '{"status":"warming_up"}' })
    operators.readyWhen(async () => 'ok')
    expect(await ask(port, '/readyz')).to.include({ status: 200 })
    operators.drain()
    operators.readyWhen(async () => 'ok')
    expect(await ask(port, '/readyz')).to.include({ status: 503, body: '{"status":"draining"}' })
    expect(await ask(port, '/livez')).to.include({ status: 200 })
    await operators.close()
  })

  it('exports the metrics of the process and of every thread', async () => {
    const [port = 0] = await freePorts(1)
    const operators = await openOperatorPort({ port, program: 'serve', dataDir: '.', logger })
    const values = [{ value: 3, labels: { program: 'ingest', stage: 'chain-a' } }]
    operators.add({
      ...{ program: 'ingest', thread: 0 },
      readings: async () => [{ name: 'launch_data_ingest_facts_total', values }],
    })
    const { body } = await ask(port, '/metrics')
    await operators.close()
    expect(body).to.contain('launch_data_program_up{program="ingest",thread="0"} 1')
    expect(body).to.contain('launch_data_ingest_facts_total{program="ingest",stage="chain-a"} 3')
    expect(body).to.contain('launch_data_ready{program="serve"} 0')
    const numberOf = (name: string) => Number(new RegExp(`^${name}\\{.*\\} (\\S+)$`, 'm').exec(body)?.[1])
    const nowSec = Date.now() / 1000
    expect(numberOf('launch_data_start_timestamp_seconds')).to.be.within(nowSec - 3_600, nowSec)
    expect(numberOf('launch_data_resident_memory_bytes')).to.be.above(10_000_000)
    expect(numberOf('launch_data_data_dir_free_bytes')).to.be.above(0)
    expect(numberOf('launch_data_heap_used_bytes')).to.be.within(1, numberOf('launch_data_heap_limit_bytes'))
    const cpuSec = numberOf('launch_data_cpu_seconds_total')
    expect(cpuSec).to.be.within(0.01, 3_600)
    expect(numberOf('launch_data_event_loop_busy_seconds_total')).to.be.within(0, nowSec)
  })

  it('does nothing with the port 0', async () => {
    const operators = await openOperatorPort({ port: 0, program: 'serve', dataDir: '.', logger })
    expect(operators.isOpen).to.equal(false)
    await operators.close()
  })
})
