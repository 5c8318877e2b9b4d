import { expect } from 'chai'
import { joinQuestions, oneOf } from '../../projections/join-questions.ts'

type Asked = Readonly<{ kind: string; subjects: readonly string[]; end: (failure?: Error) => void }>

const databaseOf = () => ({ query: async () => [] })

/** The test ends each query in `asked` by `end`. The answer about `a` to a question of kind `k` is `k:a`. */
function open({ failsFor = (_: readonly string[]): boolean => false } = {}) {
  const asked: Asked[] = []
  const ask = joinQuestions<string, string>({
    kindOf: (kind) => kind,
    askAll: (_, kind, subjects) =>
      new Promise((resolve, reject) => {
        const end = (failure?: Error) =>
          failure || failsFor(subjects)
            ? reject(failure ?? new Error(`no ${subjects}`))
            : resolve((one) => `${kind}:${one}`)
        asked.push({ kind, subjects, end })
      }),
  })
  return { asked, ask, database: databaseOf(), subjects: () => asked.map((one) => one.subjects) }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('questions that are joined', () => {
  it('do not wait if fewer than two queries run', async () => {
    const { asked, ask, database, subjects } = open()
    const answers = [ask(database, 'k', 'a'), ask(database, 'k', 'b')]
    expect(subjects()).to.deep.equal([['a'], ['b']])
    for (const { end } of asked) end()
    expect(await Promise.all(answers)).to.deep.equal(['k:a', 'k:b'])
    await turn()
    const later = ask(database, 'k', 'c')
    expect(subjects()).to.deep.equal([['a'], ['b'], ['c']])
    asked[2]?.end()
    expect(await later).to.equal('k:c')
  })

  it('become one query of each kind if they come while two queries run, each subject once', async () => {
    const { asked, ask, database, subjects } = open()
    const answers = ['a', 'b', 'c', 'd', 'c'].map((subject) => ask(database, 'k', subject))
    answers.push(ask(database, 'l', 'e'), ask(database, 'k', 'f'), ask(database, 'l', 'g'))
    asked[0]?.end()
    await turn()
    expect(subjects().slice(2)).to.deep.equal([['c', 'd', 'f']])
    answers.push(ask(database, 'k', 'h'))
    asked[2]?.end()
    await turn()
    expect(subjects().slice(3)).to.deep.equal([['e', 'g']])
    asked[1]?.end()
    await turn()
    expect(subjects().slice(4)).to.deep.equal([['h']])
    for (const { end } of asked.slice(3)) end()
    const own = ['k:a', 'k:b', 'k:c', 'k:d', 'k:c', 'l:e', 'k:f', 'l:g', 'k:h']
    expect(await Promise.all(answers)).to.deep.equal(own)
  })

  it('do not wait for those of another database', async () => {
    const { asked, ask, database, subjects } = open()
    const answers = ['a', 'b'].map((subject) => ask(database, 'k', subject))
    answers.push(ask(databaseOf(), 'k', 'c'))
    expect(subjects()).to.deep.equal([['a'], ['b'], ['c']])
    for (const { end } of asked) end()
    expect(await Promise.all(answers)).to.deep.equal(['k:a', 'k:b', 'k:c'])
  })

  it('are at most 32 in a query', async () => {
    const { asked, ask, database, subjects } = open()
    const answers = Array.from({ length: 67 }, (_, index) => ask(database, 'k', `${index}`))
    for (let query = 0; query < 5; query++) {
      asked[query]?.end()
      await turn()
    }
    expect(subjects().map(({ length }) => length)).to.deep.equal([1, 1, 32, 32, 1])
    expect(await Promise.all(answers)).to.have.length(67)
  })

  it('are asked alone after their query failed, so that only those that fail alone fail', async () => {
    const { asked, ask, database, subjects } = open({ failsFor: (all) => all.includes('bad') })
    const answers = ['x', 'a', 'b', 'bad', 'c'].map((subject) => ask(database, 'k', subject).catch(String))
    for (let query = 1; query < 6; query++) {
      asked[query]?.end()
      await turn()
    }
    expect(subjects()).to.deep.equal([['x'], ['a'], ['b', 'bad', 'c'], ['b'], ['bad'], ['c']])
    asked[0]?.end()
    expect(await Promise.all(answers)).to.deep.equal(['k:x', 'k:a', 'k:b', 'Error: no bad', 'k:c'])
    const later = ask(database, 'k', 'd')
    asked[6]?.end()
    expect(await later).to.equal('k:d')
  })

  it('fail alone if their query does not, but their own answer does', async () => {
    const failing = joinQuestions<string, string>({
      kindOf: (kind) => kind,
      askAll: async () => (subject) => (subject === 'b' ? Promise.reject(new Error('no b')) : subject),
    })
    const database = databaseOf()
    const answers = ['x', 'y', 'a', 'b', 'c'].map((subject) => failing(database, 'k', subject).catch(String))
    expect(await Promise.all(answers)).to.deep.equal(['x', 'y', 'a', 'Error: no b', 'c'])
  })
})

describe('a condition on texts from outside', () => {
  it('has a parameter for each', () => {
    expect(oneOf(['a'])).to.deep.equal({ sql: '= {text0:String}', parameters: { text0: 'a' } })
    expect(oneOf(["a'", 'b'])).to.deep.equal({
      sql: 'IN ({text0:String}, {text1:String})',
      parameters: { text0: "a'", text1: 'b' },
    })
  })
})
