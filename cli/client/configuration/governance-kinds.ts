/** Access packages and lifecycle rules in files. */
import { Type } from 'typebox'
import {
  accessPackageInput,
  accessPackageOptions,
} from '../../../adapters/inbound/api/access-package-schemas.ts'
import { groupFields } from '../../../adapters/inbound/api/group-schemas.ts'
import {
  completedActions,
  lifecycleRuleInput,
  lifecycleRuleOptions,
} from '../../../adapters/inbound/api/lifecycle-schemas.ts'
import { fields } from '../../../adapters/inbound/http/route.ts'
import { CliError, exitCodes } from '../../server/exit-codes.ts'
import { optional, plain, references } from './field-forms.ts'
import { list, named, sorted, type ApiRequest, type Field, type Kind, type ReferenceKind } from './kind.ts'
import { fileSchema, userList, userName, withReferences } from './references.ts'

/** Records that responses show with id and name, and requests name by id. */
const shown = (kind: ReferenceKind, api: string, sentAs: string, field: Field): Field => ({
  ...field,
  api,
  sentAs,
  toFile: (value, { nameOf }) =>
    sorted((value as readonly { readonly id: string }[]).map(({ id }) => nameOf(kind, id))),
})

const packageStatus: Field = {
  change: (id, status, from) => {
    const request = (action: string): ApiRequest => ({
      method: 'POST',
      path: `/access-packages/${id}/${action}`,
      body: {},
    })
    if (status === 'draft')
      throw new CliError(
        exitCodes.error,
        'status: a package that was published does not become a draft again',
      )
    if (status === 'published') return [request('publish')]
    return from === 'draft' ? [request('publish'), request('archive')] : [request('archive')]
  },
}

const {
  incompatiblePackageIds: _,
  ownerIds: __,
  requesters,
  approval,
  review,
  ...packageSettings
} = accessPackageOptions

export const accessPackages: Kind = {
  name: 'access-packages',
  about: 'Access packages. Who has them is not part of the files.',
  path: '/access-packages',
  key: 'name',
  targetType: 'access_package',
  fields: {
    ...plain('name', 'description'),
    groups: {
      ...shown('groups', 'groups', 'grants', references('groups')),
      toBody: (value, { idOf }) =>
        list(value).map((name) => ({ type: 'group', groupId: idOf('groups', name) })),
    },
    ...plain('requestable', 'requesterJustificationRequired', 'questions'),
    requesters: withReferences(),
    approval: withReferences(),
    review: withReferences(),
    duration: { whole: true },
    incompatiblePackages: {
      ...shown(
        'access-packages',
        'incompatiblePackages',
        'incompatiblePackageIds',
        references('access-packages'),
      ),
      late: true,
    },
    owners: shown('users', 'owners', 'ownerIds', userList),
    status: packageStatus,
  },
  schema: fields({
    name: accessPackageInput.name,
    groups: Type.Array(groupFields.name, { minItems: 1, maxItems: 50, uniqueItems: true }),
    ...packageSettings,
    requesters: Type.Optional(fileSchema(requesters)),
    approval: Type.Optional(fileSchema(approval)),
    review: Type.Optional(fileSchema(review)),
    incompatiblePackages: Type.Optional(named(accessPackageInput.name)),
    owners: Type.Optional(named(Type.Unsafe(userName))),
    status: Type.Optional(Type.Enum(['draft', 'published', 'archived'])),
  }),
}

export const lifecycleRules: Kind = {
  name: 'lifecycle-rules',
  about: 'Lifecycle rules. Who applies the files answers for the rules that change.',
  path: '/lifecycle/rules',
  key: 'name',
  targetType: 'lifecycle_rule',
  fields: {
    ...plain('name', 'description', 'delayMinutes', 'category', 'maxPerRun'),
    enabled: {
      change: (id, enabled) => [
        {
          method: 'POST',
          path: `/lifecycle/rules/${id}/${enabled === true ? 'enable' : 'disable'}`,
          body: {},
        },
      ],
    },
    trigger: withReferences(),
    conditions: { whole: true },
    actions: withReferences((actions) => completedActions(actions as Parameters<typeof completedActions>[0])),
  },
  schema: fields({
    name: lifecycleRuleInput.name,
    trigger: fileSchema(lifecycleRuleInput.trigger),
    actions: fileSchema(lifecycleRuleInput.actions),
    enabled: Type.Optional(Type.Boolean()),
    ...optional(lifecycleRuleOptions),
  }),
}
