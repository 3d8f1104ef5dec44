import { expect } from 'chai'
import { existsSync, readFileSync } from 'node:fs'
import { mutations } from '../../infra/campaign/mutations.ts'

const root = new URL('../../', import.meta.url)

describe('mutations of security-relevant lines', () => {
  for (const { file, line, mutant, specs } of mutations) {
    it(`${file}: ${line.trim().slice(0, 60)}`, () => {
      const count = readFileSync(new URL(file, root), 'utf8').split(line).length - 1
      expect(count, 'occurrences of the line').to.equal(1)
      expect(mutant).not.to.equal(line)
      for (const spec of specs) expect(existsSync(new URL(spec, root)), spec).to.equal(true)
    })
  }
})
