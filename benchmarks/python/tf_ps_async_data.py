"""As tf_ps_data, with gradients applied as they come."""

import tf_ps_data
from tf_ps_data import serve


class Training(tf_ps_data.Training):
    synchronous = False
