/** The fields of an access policy. */
import {
  isOwnApplication,
  ownApplications,
  type OwnApplication,
  type PolicyConditions,
} from '../../../../../../domain/policy/events.ts'
import { Button } from '../kit/button.tsx'
import type { FieldError } from '../kit/command-dialog.tsx'
import { Checkbox, FieldGroup, Select, TextArea, TextField } from '../kit/field.tsx'
import { SearchSelect } from '../kit/search-select.tsx'
import { usePolicyNames, useSentenceTexts } from '../policy-names.ts'
import { policySentence } from '../policy-sentence.ts'
import type { PolicyRecord } from '../records.ts'
import { usePolicyChoices } from './policy-choice-texts.ts'
import { usePolicyTexts } from './policy-texts.ts'

export interface PolicyValues {
  readonly name: string
  readonly description: string
  readonly status: PolicyRecord['status']
  readonly action: PolicyRecord['action']
  readonly conditions: PolicyConditions
  /** As typed */
  readonly maxAge: string
}

export const policyFieldNames = ['name', 'description', 'sessionMaxAgeMinutes'] as const

export const noPolicy: PolicyValues = {
  name: '',
  description: '',
  status: 'disabled',
  action: 'block',
  conditions: {
    users: { include: 'all', exclude: [], roles: [] },
    applications: { include: 'all', exclude: [] },
    zones: { include: 'any', exclude: [] },
    devices: 'any',
    platforms: [],
    riskAtLeast: null,
    methods: [],
  },
  maxAge: '',
}

export const valuesOf = (policy: PolicyRecord): PolicyValues => ({
  name: policy.name,
  description: policy.description ?? '',
  status: policy.status,
  action: policy.action,
  conditions: policy.conditions,
  maxAge: policy.sessionMaxAgeMinutes === null ? '' : String(policy.sessionMaxAgeMinutes),
})

/** Returns what is sent. */
export const policyBody = ({ maxAge, description, name, ...rest }: PolicyValues) => ({
  ...rest,
  name: name.trim(),
  description: description.trim() === '' ? null : description.trim(),
  sessionMaxAgeMinutes: maxAge.trim() === '' ? null : Number(maxAge),
})

const Several = <T extends string>({
  label,
  choices,
  chosen,
  onChange,
}: {
  readonly label: string
  readonly choices: Readonly<Record<T, string>>
  readonly chosen: readonly T[]
  readonly onChange: (chosen: readonly T[]) => void
}) => (
  <FieldGroup label={label}>
    {(Object.entries(choices) as [T, string][]).map(([value, name]) => (
      <Checkbox
        key={value}
        label={name}
        checked={chosen.includes(value)}
        onChange={(on) => onChange(on ? [...chosen, value] : chosen.filter((each) => each !== value))}
      />
    ))}
  </FieldGroup>
)

/** Records by id, added one at a time. */
const Records = ({
  name,
  label,
  path,
  ids,
  onChange,
}: {
  readonly name: string
  readonly label: string
  readonly path: string
  readonly ids: readonly string[]
  readonly onChange: (ids: readonly string[]) => void
}) => {
  const text = usePolicyTexts()
  const nameOf = usePolicyNames()
  return (
    <>
      <SearchSelect<{ readonly id: string; readonly name: string }>
        name={name}
        label={label}
        path={path}
        value={null}
        none={text.choose}
        onChange={(item) => {
          if (item !== null && !ids.includes(item.id)) onChange([...ids, item.id])
        }}
      />
      {ids.length > 0 && (
        <ul>
          {ids.map((id) => (
            <li key={id}>
              {nameOf(id)}{' '}
              <Button small look="quiet" onClick={() => onChange(ids.filter((each) => each !== id))}>
                {text.remove} <span className="visually-hidden">{nameOf(id)}</span>
              </Button>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

/** Applications, or what the service itself offers. */
const Applications = ({
  own,
  ids,
  onChange,
  ...field
}: {
  readonly name: string
  readonly label: string
  readonly own: Readonly<Record<OwnApplication, string>>
  readonly ids: readonly string[]
  readonly onChange: (ids: readonly string[]) => void
}) => (
  <>
    <Records
      {...field}
      path="/applications"
      ids={ids.filter((id) => !isOwnApplication(id))}
      onChange={(changed) => onChange([...changed, ...ids.filter(isOwnApplication)])}
    />
    {ownApplications.map((id) => (
      <Checkbox
        key={id}
        label={own[id]}
        checked={ids.includes(id)}
        onChange={(on) => onChange(on ? [...ids, id] : ids.filter((each) => each !== id))}
      />
    ))}
  </>
)

const listOf = (include: 'all' | 'any' | readonly string[]): readonly string[] =>
  typeof include === 'string' ? [] : include

export const PolicyFields = ({
  values,
  onChange,
  errorOf,
}: {
  readonly values: PolicyValues
  readonly onChange: (values: PolicyValues) => void
  readonly errorOf: FieldError
}) => {
  const text = usePolicyTexts()
  const words = useSentenceTexts()
  const choices = usePolicyChoices()
  const nameOf = usePolicyNames()
  const { conditions } = values
  const { users, applications, zones } = conditions
  const set = (changed: Partial<PolicyConditions>): void =>
    onChange({ ...values, conditions: { ...conditions, ...changed } })
  return (
    <>
      <TextField
        name="name"
        label={text.name}
        value={values.name}
        onChange={(name) => onChange({ ...values, name })}
        error={errorOf('name')}
        required
        autoFocus
      />
      <TextArea
        name="description"
        label={text.description}
        hint={text.optional}
        rows={2}
        value={values.description}
        onChange={(description) => onChange({ ...values, description })}
        error={errorOf('description')}
      />
      <Select
        name="action"
        label={text.action}
        value={values.action}
        options={Object.entries(text.actions).map(([value, label]) => ({ value, label }))}
        onChange={(action) => onChange({ ...values, action: action as PolicyValues['action'] })}
      />
      <TextField
        name="sessionMaxAgeMinutes"
        type="number"
        label={text.maxAge}
        hint={text.maxAgeHint}
        value={values.maxAge}
        onChange={(maxAge) => onChange({ ...values, maxAge })}
        error={errorOf('sessionMaxAgeMinutes')}
      />
      <FieldGroup label={text.users}>
        <Records
          name="include-groups"
          label={text.includeGroups}
          path="/groups"
          ids={listOf(users.include)}
          onChange={(ids) => set({ users: { ...users, include: ids.length === 0 ? 'all' : ids } })}
        />
        <Records
          name="exclude-groups"
          label={text.excludeGroups}
          path="/groups"
          ids={users.exclude}
          onChange={(exclude) => set({ users: { ...users, exclude } })}
        />
      </FieldGroup>
      <Several
        label={text.roles}
        choices={choices.roles}
        chosen={users.roles}
        onChange={(roles) => set({ users: { ...users, roles } })}
      />
      <FieldGroup label={text.applications}>
        <Applications
          name="include-applications"
          label={text.includeApplications}
          own={text.ownToo}
          ids={listOf(applications.include)}
          onChange={(ids) =>
            set({ applications: { ...applications, include: ids.length === 0 ? 'all' : ids } })
          }
        />
        <Applications
          name="exclude-applications"
          label={text.excludeApplications}
          own={text.ownNot}
          ids={applications.exclude}
          onChange={(exclude) => set({ applications: { ...applications, exclude } })}
        />
      </FieldGroup>
      <FieldGroup label={text.zones}>
        <Records
          name="include-zones"
          label={text.includeZones}
          path="/network-zones"
          ids={listOf(zones.include)}
          onChange={(ids) => set({ zones: { ...zones, include: ids.length === 0 ? 'any' : ids } })}
        />
        <Records
          name="exclude-zones"
          label={text.excludeZones}
          path="/network-zones"
          ids={zones.exclude}
          onChange={(exclude) => set({ zones: { ...zones, exclude } })}
        />
      </FieldGroup>
      <Select
        name="devices"
        label={text.devices}
        value={conditions.devices}
        options={Object.entries(text.deviceChoices).map(([value, label]) => ({ value, label }))}
        onChange={(devices) => set({ devices: devices as PolicyConditions['devices'] })}
      />
      <Select
        name="risk"
        label={text.risk}
        value={conditions.riskAtLeast ?? 'any'}
        options={Object.entries(text.riskChoices).map(([value, label]) => ({ value, label }))}
        onChange={(risk) =>
          set({ riskAtLeast: risk === 'any' ? null : (risk as NonNullable<PolicyConditions['riskAtLeast']>) })
        }
      />
      <Several
        label={text.methods}
        choices={choices.methods}
        chosen={conditions.methods}
        onChange={(methods) => set({ methods })}
      />
      <Several
        label={text.platforms}
        choices={choices.platforms}
        chosen={conditions.platforms}
        onChange={(platforms) => set({ platforms })}
      />
      <Select
        name="status"
        label={text.status}
        value={values.status}
        options={(['disabled', 'report_only', 'enabled'] as const).map((value) => ({
          value,
          label: text.statuses[value],
        }))}
        onChange={(status) => onChange({ ...values, status: status as PolicyValues['status'] })}
      />
      <p>
        <strong>
          {policySentence(
            {
              conditions,
              action: values.action,
              sessionMaxAgeMinutes: values.maxAge.trim() === '' ? null : Number(values.maxAge),
            },
            nameOf,
            words,
          )}
        </strong>
      </p>
    </>
  )
}
