/** CSV files of users and of groups: which column is which field, by the names that other products use for them. */
import { customOf, profileOf, type ImportedField, type ImportedGroup, type ImportedUser } from './records.ts'

type UserColumn = ImportedField | 'manager' | 'groups'

const userColumns: Readonly<Record<UserColumn, readonly string[]>> = {
  email: ['email', 'emailaddress', 'mail', 'primaryemail', 'workemail'],
  name: ['name', 'displayname', 'fullname'],
  givenName: ['givenname', 'firstname'],
  familyName: ['familyname', 'lastname', 'surname'],
  department: ['department'],
  title: ['title', 'jobtitle'],
  employeeId: ['employeeid', 'employeenumber'],
  location: ['location', 'office', 'officelocation', 'city'],
  phone: ['phone', 'phonenumber', 'mobilephone', 'telephonenumber', 'workphone'],
  locale: ['locale', 'language', 'preferredlanguage'],
  timeZone: ['timezone', 'zoneinfo'],
  startDate: ['startdate', 'hiredate'],
  endDate: ['enddate'],
  externalId: ['externalid'],
  userName: ['username', 'login', 'userprincipalname'],
  manager: ['manager', 'manageremail'],
  groups: ['groups', 'memberof'],
}

const groupColumns: Readonly<Record<'name' | 'description', readonly string[]>> = {
  name: ['name', 'group', 'groupname', 'displayname'],
  description: ['description'],
}

const CUSTOM = /^custom\.(.+)$/i

const plain = (header: string): string => header.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

/** What a header means. */
export interface Columns<Column extends string> {
  /** Index of each known column */
  readonly of: ReadonlyMap<Column, number>
  /** Names and indexes of custom attributes */
  readonly custom: readonly (readonly [name: string, index: number])[]
  /** Headers that mean nothing here */
  readonly ignored: readonly string[]
}

/** @returns a message if two columns are the same field, or the one that every line needs is missing */
const columnsOf = <Column extends string>(
  known: Readonly<Record<Column, readonly string[]>>,
  needed: Column,
  header: readonly string[],
): Columns<Column> | string => {
  const of = new Map<Column, number>()
  const custom: [string, number][] = []
  const ignored: string[] = []
  for (const [index, text] of header.entries()) {
    const own = CUSTOM.exec(text.trim())?.[1]
    const entry = (Object.entries(known) as [Column, readonly string[]][]).find(([, names]) =>
      names.includes(plain(text)),
    )
    if (own !== undefined) custom.push([own, index])
    else if (entry === undefined) ignored.push(text)
    else if (of.has(entry[0])) return `line 1: two columns are ${entry[0]}: ${text} is the second`
    else of.set(entry[0], index)
  }
  if (!of.has(needed)) return `line 1: expected a header with a column ${needed}, got ${header.join(', ')}`
  return { of, custom, ignored }
}

export const userColumnsOf = (header: readonly string[]) => columnsOf(userColumns, 'email', header)
export const groupColumnsOf = (header: readonly string[]) => columnsOf(groupColumns, 'name', header)

/** Undoes what keeps a spreadsheet from calculating a cell. */
const unescaped = (cell: string | undefined): string => (cell ?? '').replace(/^'(?=[=+\-@\t\r])/, '')

/** Names of groups are separated by semicolons or line breaks. */
const groupsIn = (cell: string): readonly string[] => [
  ...new Set(
    cell
      .split(/[;\n]/)
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  ),
]

export const userOfCells = (
  { of, custom }: Columns<UserColumn>,
  cells: readonly string[],
  line: number,
): ImportedUser => {
  const cell = (column: UserColumn): string => {
    const index = of.get(column)
    return index === undefined ? '' : unescaped(cells[index])
  }
  const fields = [...of.keys()].filter((column) => column !== 'manager' && column !== 'groups')
  const manager = cell('manager').trim()
  return {
    kind: 'user',
    line,
    profile: {
      ...profileOf(Object.fromEntries(fields.map((field) => [field, cell(field)]))),
      ...customOf(custom.map(([name, index]) => [name, unescaped(cells[index])])),
    },
    groups: groupsIn(cell('groups')),
    ...(manager === '' ? {} : { manager }),
  }
}

export const groupOfCells = (
  { of }: Columns<'name' | 'description'>,
  cells: readonly string[],
  line: number,
): ImportedGroup => {
  const cell = (column: 'name' | 'description'): string => {
    const index = of.get(column)
    return index === undefined ? '' : unescaped(cells[index]).trim()
  }
  const description = cell('description')
  return { kind: 'group', line, name: cell('name'), ...(description === '' ? {} : { description }) }
}
