/** The type of a setting's declaration (declared.ts). */
type Common = {
  /** One sentence for the operator. */
  readonly says: string
  /** How the page shows the default, where no value here says it. */
  readonly shown?: string
  /** Production does not start without it. */
  readonly needed?: true
  /** Its value may come from a file that NAME_FILE names. */
  readonly secret?: true
}
export type Declared = Common &
  (
    | { readonly kind: 'integer'; readonly min: number; readonly max: number; readonly otherwise?: number }
    | { readonly kind: 'flag'; readonly otherwise?: boolean }
    | { readonly kind: 'choice'; readonly of: readonly string[]; readonly otherwise?: string }
    | {
        readonly kind: 'text' | 'mail' | 'url' | 'postgres' | 'rupees' | 'hosts' | 'list' | 'json' | 'pem' | 'pairs' | 'share' | 'folder'
        readonly otherwise?: string
      }
  )
export type Group = Readonly<Record<string, Declared>>
