import { Component, type ComponentChildren } from 'preact'
import { Failure } from './failure.tsx'

/** Shows a failure in place of a view that throws while it is drawn. */
export class Boundary extends Component<{ children: ComponentChildren }, { failure: unknown }> {
  override state = { failure: undefined as unknown }

  static override getDerivedStateFromError(failure: unknown) {
    return { failure }
  }

  render() {
    if (this.state.failure === undefined) return this.props.children
    return <Failure failure={this.state.failure} onRetry={() => this.setState({ failure: undefined })} />
  }
}
