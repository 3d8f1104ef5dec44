/**
 * Each part of the kit in each of its states, for those who work on the console; in development only. Its own texts are
 * in English; those of the parts are in the reader's language.
 */
import { useState, type ReactNode } from 'react'
import { KIT_PATH } from '../../../console/page.ts'
import { AccessGraph, AccessGraphList } from '../access-graph.tsx'
import { graphOfUser, type Via } from '../access-graph-model.ts'
import { ApiError, type ApiErrorCode } from '../api.ts'
import { Badge, type Tone } from '../kit/badge.tsx'
import { BulkCommand } from '../kit/bulk-command.tsx'
import { Button, type ButtonLook } from '../kit/button.tsx'
import { Chart, type ChartPoint, type ChartSeries } from '../kit/chart.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { Copy } from '../kit/copy.tsx'
import { Dialog } from '../kit/dialog.tsx'
import {
  Checkbox,
  ColorField,
  FileField,
  Select,
  TextArea,
  TextField,
  type TextFieldProps,
} from '../kit/field.tsx'
import { PageLink } from '../kit/link.tsx'
import { RecordList, type Column } from '../kit/list.tsx'
import { Picker } from '../kit/picker.tsx'
import { Problem } from '../kit/problem.tsx'
import { Facts, Loaded, PageHead, Section, Tabs } from '../kit/record.tsx'
import type { RecordAction } from '../kit/record-action.ts'
import { Time } from '../kit/time.tsx'
import { useToast } from '../kit/toast.tsx'
import type { ListedUserRecord } from '../records.ts'
import { Choices } from './kit-choices.tsx'

export const KitPage = () => (
  <>
    <PageHead
      title="Kit"
      badge={<Badge>development</Badge>}
      lead="The parts that pages are made of, in each of their states"
      actions={<Button small>An action of the record</Button>}
    />
    <Tabs
      label="Parts"
      path={KIT_PATH}
      tabs={[
        { name: 'controls', label: 'Buttons and values', body: () => <Controls /> },
        { name: 'fields', label: 'Fields', body: () => <Fields /> },
        { name: 'choices', label: 'Menus and comboboxes', body: () => <Choices /> },
        { name: 'dialogs', label: 'Dialogs', body: () => <Dialogs /> },
        { name: 'list', label: 'List', body: () => <List /> },
        { name: 'empty', label: 'Empty list', body: () => <List prefix="nobody is called this" /> },
        { name: 'failed', label: 'List with an error', body: () => <List path="/does-not-exist" /> },
        { name: 'states', label: 'Loading and errors', body: () => <States /> },
        { name: 'drawings', label: 'Charts and graph', body: () => <Drawings /> },
      ]}
    />
  </>
)

const looks: readonly ButtonLook[] = ['plain', 'primary', 'quiet', 'danger', 'problem']
const tones: readonly Tone[] = ['neutral', 'good', 'warn', 'bad']

const Row = ({ children }: { readonly children: ReactNode }) => <div className="actions">{children}</div>

const Controls = () => {
  const toast = useToast()
  const [pressed, setPressed] = useState(true)
  const [opened] = useState(() => Date.now())
  return (
    <>
      <Section title="Buttons" hint="Normal, small, disabled, busy; and one that switches something on">
        {looks.map((look) => (
          <Row key={look}>
            <Button look={look}>{look}</Button>
            <Button look={look} small>
              {look}, small
            </Button>
            <Button look={look} disabled>
              {look}, disabled
            </Button>
            <Button look={look} busy>
              {look}, busy
            </Button>
          </Row>
        ))}
        <Row>
          <Button pressed={pressed} onClick={() => setPressed(!pressed)}>
            Switch
          </Button>
          <Button onClick={() => toast('Something was done')}>Show a short message</Button>
          <PageLink to={KIT_PATH}>Link to a page</PageLink>
        </Row>
      </Section>
      <Section title="Values" actions={<Button small>An action of the section</Button>}>
        <Row>
          {tones.map((tone) => (
            <Badge key={tone} tone={tone}>
              {tone}
            </Badge>
          ))}
        </Row>
        <Facts
          facts={[
            ['Exact time', <Time key="exact" value="2026-01-31T09:30:00Z" />],
            ['Relative time', <Time key="ago" value={new Date(opened - 90_000).toISOString()} relative />],
            ['Not shown', null],
            [
              'Long value',
              'A value that does not fit on one line, because it says everything there is to say',
            ],
          ]}
        />
        <Copy label="To copy" value="https://id.example.com/console" />
        <Copy label="Shown once" value="a-secret-that-is-not-one" once />
      </Section>
    </>
  )
}

const types: readonly NonNullable<TextFieldProps['type']>[] = [
  'text',
  'email',
  'url',
  'search',
  'number',
  'password',
  'date',
  'datetime-local',
]

const options = [
  { value: 'a', label: 'The first' },
  { value: 'b', label: 'The second' },
]

const Fields = () => {
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})
  const [checked, setChecked] = useState(true)
  const of = (name: string) => ({
    name,
    value: typed[name] ?? '',
    onChange: (value: string) => setTyped({ ...typed, [name]: value }),
  })
  const states = { hint: 'A hint that says what is expected', error: 'An error that names the limit' }
  return (
    <>
      <Section title="Text fields">
        {types.map((type) => (
          <TextField key={type} {...of(type)} type={type} label={type} />
        ))}
      </Section>
      <Section title="With a hint, and with an error">
        <TextField {...of('hint')} label="Text field with a hint" hint={states.hint} />
        <TextField {...of('error')} label="Text field with an error" {...states} />
        <Select {...of('select')} label="Select" options={options} />
        <Select {...of('selectError')} label="Select with an error" options={options} {...states} />
        <ColorField name="color" label="Colour" value="#0f5f66" onChange={() => undefined} />
        <FileField name="file" label="File" accept=".csv" hint={states.hint} onChange={() => undefined} />
        <TextArea {...of('area')} label="Text area" hint={states.hint} />
        <TextArea {...of('areaError')} label="Text area with an error" error={states.error} />
        <Checkbox label="Checkbox" checked={checked} onChange={setChecked} />
        <Checkbox
          label="Checkbox with a hint"
          checked={!checked}
          hint={states.hint}
          onChange={() => undefined}
        />
      </Section>
    </>
  )
}

const dialogs = ['dialog', 'confirm', 'dangerous', 'many', 'picker'] as const
type Opened = (typeof dialogs)[number]

/** Answered with an error, so that nothing changes. */
const nowhere = { method: 'POST', path: '/does-not-exist' } as const

const Dialogs = () => {
  const [opened, setOpened] = useState<Opened | null>(null)
  const [name, setName] = useState('')
  const onClose = (): void => setOpened(null)
  return (
    <Section
      title="Dialogs"
      hint="Their commands go to a route that does not exist, and so end with an error."
    >
      <Row>
        {dialogs.map((one) => (
          <Button key={one} look={one === 'dangerous' ? 'danger' : 'plain'} onClick={() => setOpened(one)}>
            {one}
          </Button>
        ))}
      </Row>
      {opened === 'dialog' && (
        <Dialog title="A dialog" onClose={onClose}>
          <p>It keeps the focus inside. Escape closes it.</p>
          <Row>
            <Button look="primary" onClick={onClose}>
              Close
            </Button>
          </Row>
        </Dialog>
      )}
      {(opened === 'confirm' || opened === 'dangerous') && (
        <CommandDialog
          title={opened === 'confirm' ? 'Create something' : 'Delete everything'}
          intro={<p>What the command will do, before it is sent.</p>}
          confirm={opened === 'confirm' ? 'Create' : 'Delete'}
          dangerous={opened === 'dangerous'}
          done="Done"
          command={() => ({ ...nowhere, body: { name } })}
          names={['name']}
          fields={(errorOf) => (
            <TextField name="name" label="Name" value={name} onChange={setName} error={errorOf('name')} />
          )}
          onClose={onClose}
        />
      )}
      {opened === 'many' && (
        <BulkCommand
          action={actions[0]}
          chosen={['Ada', 'Grace', 'nobody']}
          counted={(count) => `${String(count)} records`}
          keyOf={String}
          nameOf={String}
          onClose={onClose}
        />
      )}
      {opened === 'picker' && (
        <Picker<ListedUserRecord>
          title="Pick users"
          intro="Searches on the server, and sends one command for each record that is picked."
          path="/users"
          detail={({ email }) => email}
          pick="Pick"
          command={({ id }) => ({ ...nowhere, path: `${nowhere.path}/${id}` })}
          done={(user) => `${user.name} was picked`}
          empty="Nobody is called this."
          onClose={onClose}
        />
      )}
    </Section>
  )
}

const actions: readonly [RecordAction<unknown>, RecordAction<unknown>] = [
  {
    label: 'An action',
    applies: (item) => item !== 'nobody',
    effect: 'Lists those that failed.',
    input: { name: 'reason', label: 'Reason', hint: 'Optional.' },
    command: () => nowhere,
  },
  {
    label: 'A dangerous action',
    applies: () => true,
    dangerous: true,
    effect: 'Fails for each of them.',
    command: () => nowhere,
  },
]

const columns: readonly Column<ListedUserRecord>[] = [
  {
    name: 'name',
    label: 'Name',
    sort: 'name',
    cell: ({ id, name }) => <PageLink to={`/console/users/${id}`}>{name}</PageLink>,
    text: ({ name }) => name,
  },
  { name: 'email', label: 'Email', cell: ({ email }) => email, text: ({ email }) => email },
]

/** Small pages, so that there are several. */
const List = ({ path = '/users', prefix }: { readonly path?: string; readonly prefix?: string }) => (
  <RecordList<ListedUserRecord>
    path={path}
    label="Users"
    columns={columns}
    keyOf={({ id }) => id}
    nameOf={({ name }) => name}
    filters={[
      { name: 'q', label: 'Search' },
      { name: 'status', label: 'Status', options: [{ value: 'active', label: 'Active' }] },
    ]}
    fixed={{ limit: '2', ...(prefix === undefined ? {} : { q: prefix }) }}
    sort="name"
    empty="Nobody is called this."
    bulk={{ counted: (count) => `${String(count)} users`, actions }}
  />
)

const errors: readonly ApiErrorCode[] = [
  'ERR_NETWORK',
  'ERR_NOT_FOUND',
  'ERR_FORBIDDEN',
  'ERR_REAUTH_REQUIRED',
  'ERR_STRONGER_AUTH_REQUIRED',
  'ERR_CONFLICT',
]

const States = () => {
  const [isLoading, setLoading] = useState(false)
  return (
    <>
      <Section title="Loading">
        <Row>
          <Button pressed={isLoading} onClick={() => setLoading(!isLoading)}>
            Load for ever
          </Button>
        </Row>
        {isLoading && (
          <Loaded query={{ data: undefined, error: null, refetch: () => undefined }}>{() => null}</Loaded>
        )}
      </Section>
      <Section title="Errors">
        {errors.map((code) => (
          <Problem
            key={code}
            error={new ApiError(code, 'The message of the service, if the console has no words of its own')}
            retry={() => undefined}
          />
        ))}
      </Section>
    </>
  )
}

const series: readonly ChartSeries[] = [
  { name: 'Good', tone: 'good' },
  { name: 'Bad', tone: 'bad' },
  { name: 'Neither', tone: 'neutral' },
]
const points = (factor: number): readonly ChartPoint[] =>
  Array.from({ length: 24 }, (_, hour) => ({
    key: String(hour),
    label: `${String(hour)} o'clock`,
    shortLabel: `${String(hour)}:00`,
    values: [7, 3, 1].map((base, at) => factor * base * (1 + ((hour * (at + 3)) % 8))),
  }))

const through = (groupName: string, via: Via) => ({ groupId: groupName, groupName, via })
const graph = graphOfUser(
  { id: 'ada', name: 'Ada Lovelace' },
  [
    { applicationId: 'ledger', name: 'Ledger', reaches: true, via: [through('Finance', 'rule')] },
    {
      applicationId: 'wiki',
      name: 'Wiki',
      reaches: true,
      via: [through('Finance', 'rule'), through('Everybody in all locations', 'assigned')],
    },
    { applicationId: 'old', name: 'Old wiki', reaches: false, via: [through('Partners', 'scim')] },
  ],
  '#graph-list',
)

const PickedBar = () => {
  const [picked, setPicked] = useState<string | null>('9')
  return (
    <Chart
      title="Bars to pick from"
      pointName="Hour"
      series={series}
      points={points(1)}
      picked={picked}
      onPick={setPicked}
    />
  )
}

const Drawings = () => (
  <>
    <Section title="Bars">
      <Chart title="Bars" pointName="Hour" series={series} points={points(12)} />
    </Section>
    <Section title="Bars to pick from">
      <PickedBar />
    </Section>
    <Section title="Lines">
      <Chart kind="lines" title="Lines" pointName="Hour" series={series} points={points(1)} />
    </Section>
    <Section title="Nothing to draw">
      <Chart title="Nothing" pointName="Hour" series={series} points={points(0)} />
    </Section>
    <Section title="Access graph">
      <AccessGraph graph={graph} subject="ada" label="Access graph of Ada Lovelace" listId="graph-list" />
      <div id="graph-list" tabIndex={-1} role="group" aria-label="The same as a list">
        <AccessGraphList graph={graph} />
      </div>
    </Section>
  </>
)
