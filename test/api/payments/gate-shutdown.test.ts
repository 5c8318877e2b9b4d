import { expect } from 'chai'
import { type FacilitatorDouble, startFacilitatorDouble } from '../../support/payments/facilitator-double.ts'
import {
  createTestClock,
  memoryLog,
  openPaidService,
  type PaidService,
  requestFor,
  signFor,
  toHeader,
} from '../../support/payments/paid-service.ts'

describe('a payment gate that closes', () => {
  let double: FacilitatorDouble
  let service: PaidService
  let log: ReturnType<typeof memoryLog>
  const clock = createTestClock()
  beforeEach(async () => {
    double = await startFacilitatorDouble()
    log = memoryLog(clock)
    service = await openPaidService(double, { log, clock })
  })
  afterEach(() => double.stop())

  const settling = async () => {
    const calls = double.calls.settle
    double.settleFaults.push('wait')
    const request = requestFor(toHeader(await signFor(service.gate)))
    const outcome = service.gate.run(request)
    while (double.calls.settle === calls) await new Promise((resolve) => setImmediate(resolve))
    return { request, outcome }
  }

  it('ends what was begun: money that is on its way gets its answer, and the ledger says so', async () => {
    const { request, outcome } = await settling()
    let isClosed = false
    const closed = service.gate.close().then(() => {
      isClosed = true
    })
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect(isClosed).to.equal(false)
    double.release()
    expect((await outcome).kind).to.equal('paid')
    await closed
    const next = await openPaidService(double, { log, clock })
    expect((await next.gate.run(request)).kind, 'from the ledger').to.equal('paid')
    expect([double.calls.settle, double.transfers.size]).to.deep.equal([1, 1])
    await next.gate.close()
  })

  it('begins nothing new', async () => {
    const late = requestFor(toHeader(await signFor(service.gate)))
    const { outcome } = await settling()
    const closed = service.gate.close()
    expect(await service.gate.run(late)).to.include({ kind: 'unavailable', code: 'payments_not_live' })
    expect([late.runs.count, double.calls.settle]).to.deep.equal([0, 1])
    double.release()
    await outcome
    await closed
  })
})
