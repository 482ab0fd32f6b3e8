/** The options of a select field: values with their names. */
type OptionsProps<Value extends string> = { readonly values: readonly Value[]; readonly nameOf: (value: Value) => string }

export const Options = <Value extends string>({ values, nameOf }: OptionsProps<Value>) =>
  values.map((value) => (
    <option key={value} value={value}>
      {nameOf(value)}
    </option>
  ))
