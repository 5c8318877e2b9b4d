module.exports = class NoSqlite {
  constructor() {
    throw new TypeError('SQLite is left out: keep the session in memory')
  }
}
