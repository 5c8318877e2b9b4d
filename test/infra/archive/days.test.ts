import { expect } from 'chai'
import { dayAt, finishedDay } from '../../../infra/archive/days.ts'
import { OperationError } from '../../../infra/errors.ts'

const nowMs = Date.UTC(2026, 1, 1, 12)

describe('a day of files', () => {
  it('is a day in UTC that is over', () => {
    const day = { name: '2026-01-31', from: Date.UTC(2026, 0, 31), to: Date.UTC(2026, 1, 1) }
    expect(finishedDay('2026-01-31', nowMs)).to.deep.equal(day)
    expect(finishedDay('2026-01-31', day.to)).to.deep.equal(day)
    expect(dayAt(day.to - 1)).to.deep.equal(day)
    expect(() => finishedDay('2026-01-31', day.to - 1)).to.throw(OperationError, 'The last finished day is 2026-01-30')
    expect(() => finishedDay('2026-02-01', nowMs)).to.throw(OperationError, 'not over in UTC')
  })

  it('is no other text', () => {
    for (const text of ['', 'yesterday', '2026-1-31', '2026-02-30', '2026-13-01', '2026-01-31T00:00'])
      expect(() => finishedDay(text, nowMs), text).to.throw(OperationError, 'Write --day 2026-01-31')
  })
})
