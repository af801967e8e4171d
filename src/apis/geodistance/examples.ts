/** Two places far from each other, a polygon, and a line over the 180th meridian. */
export const examples = [
  {
    name: "From the Eiffel Tower to the Statue of Liberty",
    input: {
      points: ["48.8584,2.2945", "40.6892,-74.0445"],
    },
    output: {
      metres: 5853103.677258,
      miles: 3636.95001,
      nautical_miles: 3160.423152,
      initial_bearing_degrees: 291.790053803,
      final_bearing_degrees: 233.713338178,
      midpoint: {
        lat: 51.58523229,
        lon: -39.052772731,
      },
      legs: [
        {
          metres: 5853103.677258,
          initial_bearing_degrees: 291.790053803,
          final_bearing_degrees: 233.713338178,
        },
      ],
      polygon: null,
    },
  },
  {
    name: "A square degree at the equator",
    input: {
      points: ["0,0", "0,1", "1,1", "1,0"],
    },
    output: {
      metres: 333196.528691,
      miles: 207.038724,
      nautical_miles: 179.911733,
      initial_bearing_degrees: 90,
      final_bearing_degrees: 269.991273574,
      midpoint: {
        lat: 0.499924228,
        lon: 1,
      },
      legs: [
        {
          metres: 111319.490793,
          initial_bearing_degrees: 90,
          final_bearing_degrees: 90,
        },
        {
          metres: 110574.388558,
          initial_bearing_degrees: 0,
          final_bearing_degrees: 0,
        },
        {
          metres: 111302.649339,
          initial_bearing_degrees: 270.008726426,
          final_bearing_degrees: 269.991273574,
        },
      ],
      polygon: {
        perimeter_metres: 443770.917248,
        area_square_metres: 12308778361.469,
        is_clockwise: false,
      },
    },
  },
  {
    name: "Across the date line",
    input: {
      points: ["-17.7134,178.065", "-13.759,-172.1046"],
    },
    output: {
      metres: 1140491.286253,
      miles: 708.66843,
      nautical_miles: 615.816029,
      initial_bearing_degrees: 68.836215682,
      final_bearing_degrees: 66.162415451,
      midpoint: {
        lat: -15.791909334,
        lon: -176.972166808,
      },
      legs: [
        {
          metres: 1140491.286253,
          initial_bearing_degrees: 68.836215682,
          final_bearing_degrees: 66.162415451,
        },
      ],
      polygon: null,
    },
  },
]
