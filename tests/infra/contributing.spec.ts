import { expect } from 'chai'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isEventType, type EventType } from '../../domain/catalogue.ts'
import * as consequences from '../../domain/consequences.ts'
import { generatedPages } from '../../infra/pages/pages.ts'

const root = resolve(import.meta.dirname, '..', '..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const page = read('infra/docs/contributing.md')

/** The product files that the lists of the page must cover. */
const product = execFileSync(
  'git',
  [
    'ls-files',
    '--cached',
    '--others',
    '--exclude-standard',
    'domain',
    'read-models',
    'projections',
    'adapters',
    'cli',
  ],
  { cwd: root, encoding: 'utf8' },
)
  .split('\n')
  .filter((path) => /\.(?:tsx?|sql)$/.test(path) && existsSync(join(root, path)))

const PATH = /`((?:domain|read-models|projections|adapters|cli|tests|infra)\/[\w./-]+)`/g
const CODE = /`([^`]+)`/g

const captured = (text: string, pattern: RegExp): readonly string[] => [
  ...new Set([...text.matchAll(pattern)].map(([, capture = '']) => capture)),
]

interface Section {
  readonly title: string
  /** The words to search the product for */
  readonly words: readonly string[]
  /** Every file that the section names, in order */
  readonly files: readonly string[]
}

const sections: readonly Section[] = page
  .split(/^## /m)
  .slice(1)
  .map((text) => {
    const [, search = ''] = /Search for ((?:`[^`]+`[,\s]*)+)\./.exec(text) ?? []
    return {
      title: text.split('\n', 1)[0] ?? '',
      words: captured(search, CODE),
      files: captured(text, PATH).filter((path) => !path.endsWith('/')),
    }
  })
const searched = sections.filter(({ words }) => words.length > 0)

const mentions = (path: string, words: readonly string[]): boolean => {
  const text = read(path)
  return words.some((word) => text.includes(word))
}

const importsOf = (path: string): readonly string[] =>
  [...read(path).matchAll(/from '(\.[^']+)'/g)].map(([, target = '']) => join(dirname(path), target))

const CONSEQUENCES = 'domain/consequences.ts'

/** The name under which code uses each consequence, and whether an event has it. */
const consequenceNames: readonly (readonly [name: RegExp, has: (type: EventType) => boolean])[] = [
  [/takesAway/, consequences.takesAway],
  [/movesRuleMembers/, consequences.movesRuleMembers],
  [/endsSessions|SessionEnding/, consequences.endsSessions],
  [/forgetsNames/, consequences.forgetsNames],
  [/causesEmail|EmailType/, consequences.causesEmail],
  [/marksProvisioning/, consequences.marksProvisioning],
  [/configurationTypes/, (type) => consequences.configurationTypes.includes(type)],
]

/** Returns the files that act on a consequence of an event among the words. */
const actOn = (words: readonly string[]): readonly string[] => {
  const types = words.map((word) => word.replaceAll("'", '')).filter(isEventType)
  const names = consequenceNames.filter(([, has]) => types.some(has)).map(([name]) => name)
  return product.filter(
    (path) => importsOf(path).includes(CONSEQUENCES) && names.some((name) => name.test(read(path))),
  )
}

/** Returns the name of the table that a file of `projections/tables/` fills. */
const tableOf = (path: string): string | undefined =>
  path.startsWith('projections/tables/') ? /: Table = \{\s+name: '(\w+)'/.exec(read(path))?.[1] : undefined

/** Whether one file refers to the other: by an import, or from a table's projection to its definition. */
const leadsTo = (one: string, other: string): boolean => {
  const table = tableOf(one)
  return (
    importsOf(one).includes(other) ||
    (other.endsWith('.sql') && table !== undefined && read(other).includes(`create table ${table} `))
  )
}

/**
 * Returns the files that contain no word and are not connected by imports, through other files of the list, to one
 * that does.
 */
const untied = (files: readonly string[], words: readonly string[]): readonly string[] => {
  let rest = files.filter((path) => !mentions(path, words))
  let reached = files.filter((path) => !rest.includes(path))
  while (reached.length > 0) {
    const next = rest.filter((path) => reached.some((from) => leadsTo(from, path) || leadsTo(path, from)))
    rest = rest.filter((path) => !next.includes(path))
    reached = next
  }
  return rest
}

describe('The page for contributors', () => {
  it('names paths that exist', () => {
    const paths = captured(page, PATH)
    expect(paths).to.have.length.above(80)
    for (const path of paths) expect(existsSync(join(root, path)), path).to.equal(true)
  })

  it('names commands that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
    for (const name of captured(page, /`npm run ([\w:]+)/g)) expect(scripts, name).to.have.property(name)
  })

  it('has eight lists of files', () => {
    expect(searched.map(({ title }) => title)).to.have.lengthOf(8)
  })

  for (const { title, words, files } of searched) {
    it(`${title}: names every file of the product that contains one of its words or acts on its events`, () => {
      for (const word of words)
        expect(
          files.some((path) => mentions(path, [word])),
          word,
        ).to.equal(true)
      const onPath = [...product.filter((path) => mentions(path, words)), ...actOn(words)]
      const missing = onPath.filter((path) => !files.includes(path))
      expect(missing).to.deep.equal([])
    })

    it(`${title}: each file contains one of its words, or is connected by imports to one that does`, () => {
      const astray = untied(files, words)
      expect(astray).to.deep.equal([])
    })
  }
})

describe('The table of rooms in the README', () => {
  const [, listed = ''] = /const stairs = \[([^\]]*)\]/.exec(read('.dependency-cruiser.cjs')) ?? []
  const stairs = captured(listed, /'([^']+)'/g)
  const rooms = captured(read('README.md'), /^\| `((?:adapters|cli)\/[\w/-]*)`/gm).map((room) =>
    room.slice(0, -1),
  )
  const lowest = (room: string): number =>
    stairs.includes(room) ? stairs.indexOf(room) : stairs.findIndex((stair) => stair.startsWith(`${room}/`))

  it('has every room of adapters/ and cli/, the highest one first', () => {
    const places = rooms.map(lowest)
    expect(places).not.to.include(-1)
    expect(places).to.deep.equal([...places].sort((one, other) => other - one))
    const untold = stairs.filter(
      (stair) => !rooms.some((room) => stair === room || stair.startsWith(`${room}/`)),
    )
    expect(untold).to.deep.equal([])
  })
})

describe('The generated pages', () => {
  let pages: ReadonlyMap<string, string>
  before(async () => {
    pages = await generatedPages()
  })

  for (const path of ['events.md', 'requirements.md', 'openapi.yaml', 'svc.1'].map(
    (name) => `infra/docs/${name}`,
  ))
    it(`${path} is up to date with npm run docs`, () => {
      expect(read(path) === pages.get(path), `${path} is out of date: run npm run docs`).to.equal(true)
    })
})
