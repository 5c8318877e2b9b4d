import { expect } from 'chai'
import { withExampleSubjects } from '../../../api/documents/example-subjects.ts'
import type { JsonSchema } from '../../../api/documents/json-schema.ts'
import { pathOf } from '../../../api/documents/operations.ts'
import { paidRoutes } from '../../support/payments/paid-routes.ts'
import { documentsOf } from './documents-of.ts'

describe('the examples of parameters in the OpenAPI document', () => {
  const examplesOf = async (value: string | null) => {
    const { document } = await documentsOf()
    const find = async () => (value === null ? null : { id: value, addr: value, mint: value })
    const { paths } = await withExampleSubjects(document, paidRoutes, { find })
    return paidRoutes.flatMap((route) =>
      ((paths[pathOf(route)]?.get.parameters ?? []) as readonly JsonSchema[])
        .filter((parameter) => parameter.in === 'path')
        .map((parameter) => parameter.example),
    )
  }

  it('are subjects that the service tracks now', async () => {
    expect(await examplesOf('0xab')).to.deep.equal(Array(7).fill('0xab'))
  })

  it('are missing while the service tracks nothing', async () => {
    expect(await examplesOf(null)).to.deep.equal(Array(7).fill(undefined))
  })
})
